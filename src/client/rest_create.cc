// RestClient::Create, declared in rest_client.h: apart from the rest so that what runs on other
// transports needs no network.

#include <utility>

#include "client/http_transport.h"
#include "client/loop_timers.h"
#include "client/rest_client.h"

namespace berth::client {

Result<std::unique_ptr<RestClient>> RestClient::Create(net::EventLoop& loop, ClientConfig config,
                                                       RestObserver* observer) {
  auto transport = MakeHttpTransport(loop, config);
  if (!transport) return Fail(config.server + ": " + transport.error().message);
  return CreateOn(std::make_shared<LoopTimers>(loop), *std::move(transport), std::move(config),
                  observer);
}

}  // namespace berth::client
