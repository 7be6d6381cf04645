// EventLoop runs the asynchronous network operations of all that is made with it, on one thread.
//
// That thread is its own (Start) or the caller's (Run). What is made with a loop must be gone
// before the loop is.
#pragma once

#include <memory>
#include <thread>

namespace boost::asio {
class io_context;
}

namespace berth::net {

class EventLoop {
 public:
  EventLoop();
  // Stops, and waits for its own thread. Not from within the loop.
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Runs on a thread of its own. At most once, and not together with Run.
  void Start();
  // Runs on this thread until Stop.
  void Run();
  // From any thread. What has not happened yet never will: no callback is called afterwards.
  void Stop();

  boost::asio::io_context& context();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
  std::thread thread_;
};

}  // namespace berth::net
