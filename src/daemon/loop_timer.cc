#include "daemon/loop_timer.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <utility>

namespace berth::daemon {

Later LaterOn(net::EventLoop& loop) {
  return [&loop](Duration delay, std::function<void()> call) {
    auto timer = std::make_shared<boost::asio::steady_timer>(loop.context());
    timer->expires_after(std::chrono::nanoseconds(delay.nanos));
    timer->async_wait([timer, call = std::move(call)](const boost::system::error_code& error) {
      if (!error) call();
    });
  };
}

}  // namespace berth::daemon
