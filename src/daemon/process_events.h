// ProcessEvents is the queue of signals and other events that the daemon's main thread waits on.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace berth::daemon {

enum class ProcessEvent {
  kEnd,     // SIGTERM or SIGINT, of which a second one exits at once, with 1; or it was posted.
  kDump,    // SIGUSR2.
  kReport,  // SIGUSR1.
};

class ProcessEvents {
 public:
  // Blocks the signals, and those that the daemon has no use for, and starts to receive them. Must
  // be called before any other thread is started, so that all threads inherit the mask.
  ProcessEvents();
  ~ProcessEvents();
  ProcessEvents(const ProcessEvents&) = delete;
  ProcessEvents& operator=(const ProcessEvents&) = delete;

  // Waits for the next event.
  ProcessEvent Next();
  // Adds an event. Any thread.
  void Post(ProcessEvent what);

 private:
  void TakeSignals();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<ProcessEvent> waiting_;
  std::atomic<bool> stopping_ = false;  // The thread ends after the next signal.
  std::thread signals_;
};

}  // namespace berth::daemon
