// ProcessEvents is the queue that the daemon's main thread waits on: signals, and events from other
// threads.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace berth::daemon {

enum class ProcessEvent {
  kEnd,        // SIGTERM or SIGINT. A second one exits at once, with 1.
  kDump,       // SIGUSR2.
  kLeaseLost,  // Another scheduler leads, or may do so.
};

class ProcessEvents {
 public:
  // Blocks the signals and starts to receive them. Must be called before any other thread is
  // started, so that all threads inherit the mask.
  ProcessEvents();
  ~ProcessEvents();
  ProcessEvents(const ProcessEvents&) = delete;
  ProcessEvents& operator=(const ProcessEvents&) = delete;

  // May be called on any thread.
  void Post(ProcessEvent what);
  // Waits for the next event.
  ProcessEvent Next();

 private:
  void TakeSignals();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<ProcessEvent> waiting_;
  std::thread signals_;
};

}  // namespace berth::daemon
