// ProcessEvents is what the daemon's main thread waits for: signals, and news from other threads.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace berth::daemon {

enum class ProcessEvent {
  kEnd,        // SIGTERM or SIGINT came. A second one ends the process at once, with 1.
  kDump,       // SIGUSR2 came.
  kLeaseLost,  // Another scheduler leads, or might.
};

class ProcessEvents {
 public:
  // Takes the signals from now on. To be called before any other thread is started, so that they
  // come to no other.
  ProcessEvents();
  ~ProcessEvents();
  ProcessEvents(const ProcessEvents&) = delete;
  ProcessEvents& operator=(const ProcessEvents&) = delete;

  // From any thread.
  void Post(ProcessEvent what);
  // Waits for the next.
  ProcessEvent Next();

 private:
  void TakeSignals();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<ProcessEvent> waiting_;
  std::thread signals_;
};

}  // namespace berth::daemon
