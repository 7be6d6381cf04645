// EventLoop is the executor of asynchronous network I/O: all callbacks of objects created with a
// loop run on its thread.
//
// The thread is its own (Start) or the caller's (Run). Objects created with a loop must be
// destroyed before the loop.
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
  // Stops, and joins its own thread. Must not be called from within the loop.
  ~EventLoop() override;
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Runs the loop on its own thread. At most once, and not together with Run.
  void Start();
  // Runs the loop on the calling thread until Stop.
  void Run();
  // Stops the loop, from any thread. Pending work and timers never run.
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
