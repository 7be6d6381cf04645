// The berth-scheduler program with NodePrice among its plugins.
#include <berth/daemon/scheduler_command.h>

#include "node_price.h"

int main(int argc, char** argv) {
  auto registry = berth::scheduler::plugins::InTreeRegistry();
  registry.Add(custom::NodePrice::kName, custom::NodePrice::Make);
  return berth::daemon::RunSchedulerCommand(argc, argv, registry);
}
