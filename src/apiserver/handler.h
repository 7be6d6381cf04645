// Handler responds to every request of the API server.
//
// Called on the HTTP server's threads; never blocks. A response is sent when its version is visible
// in the store, so that its content survives a crash.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "apiserver/authentication.h"
#include "apiserver/non_resource_paths.h"
#include "apiserver/registry/api.h"
#include "apiserver/request_info.h"
#include "apiserver/request_metrics.h"
#include "apiserver/responses.h"
#include "base/time.h"
#include "net/http_server.h"

namespace berth::apiserver {

class Handler {
 public:
  // `api`, its store and the clocks must outlive the handler and its exchanges. `clock` is the
  // Api's, which may be accelerated; `steady_clock` determines the end of watches.
  Handler(registry::Api& api, registry::Access access, const Clock& clock,
          const Clock& steady_clock);

  void Handle(std::shared_ptr<net::Exchange> exchange);

  // Lets `handler` respond to the authenticated requests of paths that begin with `prefix`, from
  // now on. It must outlive the server's threads.
  void Delegate(std::string prefix, net::RequestHandler handler);

  Metrics& metrics() { return *metrics_; }

  // Returns the response to a request that is rejected whatever its body is: nobody may make the
  // server buffer a body without valid credentials.
  std::optional<net::ServerResponse> Admit(const net::ServerRequest& head) const;

 private:
  // Sends the response once its version is visible.
  void Finish(std::shared_ptr<net::Exchange> exchange, const RequestInfo& info,
              VersionedResponse versioned);
  void ServeKind(std::shared_ptr<net::Exchange> exchange, const RequestInfo& info,
                 const registry::User& user);
  // Starts a stream, or returns the error of a watch that cannot start.
  api::scheme::ApiResult<void> StartWatch(const std::shared_ptr<net::Exchange>& exchange,
                                          const RequestInfo& info, ObjectForm form);

  struct Delegation {
    std::string prefix;
    net::RequestHandler handler;
  };
  // Returns null if nobody else responds to the path.
  std::shared_ptr<const Delegation> FindDelegation(std::string_view path) const;

  registry::Api& api_;
  registry::Access access_;
  const Clock& clock_;
  const Clock& steady_clock_;
  std::shared_ptr<Metrics> metrics_ = std::make_shared<Metrics>();
  NonResourcePaths non_resource_paths_;
  mutable std::mutex mutex_;  // Guards the member below.
  std::shared_ptr<const Delegation> delegation_;
};

}  // namespace berth::apiserver
