#include "net/server_exchange.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "base/check.h"
#include "net/gzip.h"

namespace berth::net {

namespace asio = boost::asio;

ServerExchange::ServerExchange(std::weak_ptr<ExchangePort> port, RequestNumber number,
                               ServerRequest request)
    : port_(std::move(port)), number_(number), request_(std::move(request)) {}

ServerExchange::~ServerExchange() {
  if (answered_) return;
  Finish({ServerAnswer::Text(500, "text/plain; charset=utf-8", "the request was not answered\n"),
          nullptr});
}

void ServerExchange::Answer(ServerAnswer answer) {
  CompressIfWorthwhile(request_, answer);
  Finish({std::move(answer), nullptr});
}

void ServerExchange::Stream(ServerAnswer head, std::unique_ptr<BodySource> source) {
  CHECK(source != nullptr);
  Finish({std::move(head), std::move(source)});
}

void ServerExchange::Finish(Outcome outcome) {
  CHECK(!answered_.exchange(true));
  const auto port = port_.lock();
  if (port == nullptr) return;
  if (port->context().get_executor().running_in_this_thread()) {
    return port->Deliver(number_, std::move(outcome));
  }
  // Weak, as the context may stop before it comes to this: what it holds must not hold it.
  asio::post(port->context(),
             [weak = port_, number = number_, moved = std::move(outcome)]() mutable {
               if (const auto open = weak.lock()) open->Deliver(number, std::move(moved));
             });
}

// Even on the connection's thread the source is read later: whoever wakes may hold what the source
// needs.
void ServerExchange::Wake() {
  if (woken_.exchange(true, std::memory_order_acq_rel)) return;
  const auto port = port_.lock();
  if (port == nullptr) return;
  asio::post(port->context(), [self = shared_from_this()] {
    self->woken_.exchange(false, std::memory_order_acq_rel);
    if (const auto open = self->port_.lock()) open->Wake(self->number_);
  });
}

void ServerExchange::WakeAfter(std::chrono::milliseconds delay) {
  const auto port = port_.lock();
  if (port == nullptr) return;
  asio::post(port->context(), [weak = port_, number = number_, delay] {
    if (const auto open = weak.lock()) open->WakeAfter(number, delay);
  });
}

}  // namespace berth::net
