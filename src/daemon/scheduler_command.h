// The berth-scheduler program as a function, for a main() that adds plugins of its own.
//
// It is what app.NewSchedulerCommand(app.WithPlugin(...)) is to kube-scheduler:
//
//   int main(int argc, char** argv) {
//     auto registry = berth::scheduler::plugins::InTreeRegistry();
//     registry.Add<MyPlugin>();
//     return berth::daemon::RunSchedulerCommand(argc, argv, registry);
//   }
#pragma once

namespace berth::scheduler::framework {
class Registry;
}

namespace berth::daemon {

// Parses the arguments (kube-scheduler's flags and Berth's own), runs the scheduler until a signal
// arrives or the lease is lost, and returns the exit code of the process. Profiles may enable the
// plugins in `registry`, and no others. Call it from main before any thread is started: it blocks
// signals and configures the process's log.
int RunSchedulerCommand(int argc, const char* const* argv,
                        const scheduler::framework::Registry& registry);

}  // namespace berth::daemon
