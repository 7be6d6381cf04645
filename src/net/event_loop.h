// EventLoop is the executor of asynchronous network I/O: everything that is made with one runs on
// its thread.
//
// The thread is its own (Start) or the caller's (Run). Objects made with a loop must be destroyed
// before the loop.
#pragma once

#include <memory>
#include <thread>

#include "net/executor.h"

namespace boost::asio {
class io_context;
}

namespace berth::net {

class EventLoop final : public Executor {
 public:
  EventLoop();
  // Stops, and waits for its own thread. Not from within the loop.
  ~EventLoop() override;
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Runs on a thread of its own. At most once, and not together with Run.
  void Start();
  // Runs on this thread until Stop.
  void Run();
  // From any thread. Work and timers that have not run by then never will.
  void Stop();

  Instant Now() const override;
  void Post(Work work) override;
  bool stopped() const override;
  bool RunsHere() const override;
  TimerId After(Duration delay, Work work) override;
  void Cancel(TimerId id) override;

  boost::asio::io_context& context();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
  std::thread thread_;
};

}  // namespace berth::net
