// Handler responds to every request of the API server.
//
// Called on the HTTP server's threads; never blocks. Writes whose validation is expensive are
// executed on another thread (slow_writes.h). A response is sent when its version is visible
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
#include "apiserver/slow_writes.h"
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

  // Ends the writes that are executed on the other thread; waits for it. Further ones get 429.
  void StopSlowWrites() { slow_writes_.Stop(); }

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
  // Executes every verb except watch.
  VersionedResponse Execute(const net::ServerRequest& request, const RequestInfo& info,
                            const registry::User& user, const ObjectForm& form);
  // Executes the request on the thread for expensive writes.
  void ExecuteSlowly(std::shared_ptr<net::Exchange> exchange, const RequestInfo& info,
                     const registry::User& user, ObjectForm form);
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
  SlowWrites slow_writes_;  // Last: its thread uses the members above.
};

}  // namespace berth::apiserver
