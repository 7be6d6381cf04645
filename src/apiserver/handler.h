// Handler answers every request that comes to the API server.
//
// Called on the HTTP server's threads; never blocks. What an answer tells is visible in the store,
// and so survives a crash, before it is sent.
#pragma once

#include <cstddef>
#include <memory>
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
  // As kube-apiserver. Longer bodies are refused.
  static constexpr size_t kMaxBodyBytes = 3 << 20;

  // `api`, its store and the clocks must outlive the handler and the exchanges it was given.
  // `clock` is the Api's; `real_clock` says when watches end, however fast the other runs.
  Handler(registry::Api& api, registry::Access access, const Clock& clock, const Clock& real_clock);

  void Handle(std::shared_ptr<net::Exchange> exchange);

 private:
  // Answers once the reply's version is visible.
  void Finish(std::shared_ptr<net::Exchange> exchange, const RequestInfo& info,
              VersionedResponse reply);
  void ServeKind(std::shared_ptr<net::Exchange> exchange, const RequestInfo& info,
                 const registry::User& user);
  // The error of a watch that cannot start; afterwards all is up to the stream.
  api::scheme::ApiResult<void> StartWatch(const std::shared_ptr<net::Exchange>& exchange,
                                          const RequestInfo& info, ObjectForm form);

  registry::Api& api_;
  registry::Access access_;
  const Clock& clock_;
  const Clock& real_clock_;
  std::shared_ptr<Metrics> metrics_ = std::make_shared<Metrics>();
  NonResourcePaths non_resource_paths_;
};

}  // namespace berth::apiserver
