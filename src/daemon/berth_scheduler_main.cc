#include "daemon/scheduler_command.h"
#include "scheduler/plugins/coscheduling.h"

int main(int argc, char** argv) {
  return berth::daemon::RunSchedulerCommand(argc, argv,
                                            berth::scheduler::plugins::RegistryWithCoscheduling());
}
