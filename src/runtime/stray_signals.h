// BlockStraySignals protects a program from signals that it has no use for.
#pragma once

namespace berth::runtime {

// Blocks the signals that Go's runtime, and so kube-scheduler, ignores but whose default action
// ends a process: SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGIO, SIGPWR, SIGSTKFLT and the real-time
// signals. A program may still wait for one of them. Must be called before any other thread is
// started, so that all threads inherit the mask.
void BlockStraySignals();

}  // namespace berth::runtime
