#include "cmd/command_line.h"

int main(int argc, char** argv) { return berth::cmd::RunCommandLine(argc, argv); }
