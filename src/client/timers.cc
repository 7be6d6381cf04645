#include "client/timers.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <utility>

namespace berth::client {

void LoopTimers::After(Duration delay, std::function<void()> what) {
  auto timer = std::make_shared<boost::asio::steady_timer>(loop_.context());
  timer->expires_after(std::chrono::nanoseconds(delay.nanos));
  timer->async_wait([timer, what = std::move(what)](const boost::system::error_code& error) {
    if (!error) what();
  });
}

}  // namespace berth::client
