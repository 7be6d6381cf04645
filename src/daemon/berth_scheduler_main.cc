#include "daemon/scheduler_command.h"
#include "scheduler/plugins/in_tree_registry.h"

int main(int argc, char** argv) {
  return berth::daemon::RunSchedulerCommand(argc, argv,
                                            berth::scheduler::plugins::InTreeRegistry());
}
