#include <string>
#include <vector>

#include "daemon/run_daemon.h"

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  return berth::daemon::RunDaemon(arguments);
}
