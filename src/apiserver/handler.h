// Handler answers every request that comes to the API server.
//
// Called on the HTTP server's threads; never blocks. What an answer tells is visible in the store,
// and so survives a crash, before it is sent.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "apiserver/access.h"
#include "apiserver/api.h"
#include "apiserver/fixed_paths.h"
#include "apiserver/metrics.h"
#include "apiserver/reply.h"
#include "apiserver/request_info.h"
#include "base/time.h"
#include "net/http_server.h"

namespace berth::apiserver {

class Handler {
 public:
  // As kube-apiserver. Longer bodies are refused.
  static constexpr size_t kMaxBodyBytes = 3 << 20;

  // `api`, its store and the clocks must outlive the handler and the exchanges it was given.
  // `clock` is the Api's; `real_clock` says when watches end, however fast the other runs.
  Handler(Api& api, Access access, const Clock& clock, const Clock& real_clock);

  void Handle(std::shared_ptr<net::Exchange> exchange);

 private:
  // Answers once the reply's version is visible.
  void Finish(std::shared_ptr<net::Exchange> exchange, const RequestInfo& info, Reply reply);
  void ServeKind(std::shared_ptr<net::Exchange> exchange, const RequestInfo& info,
                 const User& user);
  // The error of a watch that cannot start; afterwards all is up to the stream.
  ApiResult<void> StartWatch(const std::shared_ptr<net::Exchange>& exchange,
                             const RequestInfo& info, ObjectForm form);

  Api& api_;
  Access access_;
  const Clock& clock_;
  const Clock& real_clock_;
  std::shared_ptr<Metrics> metrics_ = std::make_shared<Metrics>();
  FixedPaths fixed_paths_;
};

}  // namespace berth::apiserver
