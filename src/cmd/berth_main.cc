#include "cmd/command_line.h"
#include "scheduler/plugins/coscheduling.h"

int main(int argc, char** argv) {
  return berth::cmd::RunCommandLine(argc, argv,
                                    berth::scheduler::plugins::RegistryWithCoscheduling());
}
