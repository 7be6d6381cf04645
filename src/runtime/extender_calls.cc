#include "runtime/extender_calls.h"

#include <fmt/format.h>

#include <future>
#include <utility>

#include "base/check.h"
#include "observability/thread_stacks.h"

namespace berth::runtime {

namespace {

constexpr Duration kDefaultTimeout = Duration::Seconds(5);
constexpr int kOk = 200;
// Room for 5,000 nodes of 12 KB, which an extender returns if it does not cache them.
constexpr size_t kMaxResponseBytes = size_t{64} << 20;

net::TlsOptions TlsOf(const scheduler::framework::ExtenderConfig& extender) {
  net::TlsOptions options;
  if (const auto& tls = extender.tls) {
    options = {.insecure = tls->insecure,
               .server_name = tls->server_name,
               .ca_file = tls->ca_file,
               .ca_data = tls->ca_data.bytes,
               .cert_file = tls->cert_file,
               .cert_data = tls->cert_data.bytes,
               .key_file = tls->key_file,
               .key_data = tls->key_data.bytes};
  }
  // As upstream: HTTPS without a CA trusts any server.
  if (extender.enable_https && !options.has_ca()) options.insecure = true;
  return options;
}

Duration TimeoutOf(const scheduler::framework::ExtenderConfig& extender) {
  return extender.http_timeout == Duration() ? kDefaultTimeout : extender.http_timeout;
}

}  // namespace

ExtenderCaller::ExtenderCaller(scheduler::framework::ExtenderConfig extender,
                               std::unique_ptr<net::HttpClient> client)
    : extender_(std::make_shared<const scheduler::framework::ExtenderConfig>(std::move(extender))),
      client_(std::move(client)) {}

Result<std::unique_ptr<ExtenderCaller>> ExtenderCaller::Create(
    net::EventLoop& loop, scheduler::framework::ExtenderConfig extender) {
  net::HttpClientOptions options;
  options.tls = TlsOf(extender);
  options.max_body_bytes = kMaxResponseBytes;
  auto client = net::HttpClient::Create(loop, options);
  if (!client) {
    return Fail(
        fmt::format("extender \"{}\": tlsConfig: {}", extender.url_prefix, client.error().message));
  }
  return std::unique_ptr<ExtenderCaller>(
      new ExtenderCaller(std::move(extender), *std::move(client)));
}

net::HttpClient::RequestId ExtenderCaller::Call(scheduler::framework::ExtenderStep step,
                                                std::string body, Callback callback,
                                                std::function<bool()> may_send) {
  CHECK(scheduler::framework::TakesPartIn(*extender_, step));
  net::ClientRequest request{.method = "POST",
                             .url = scheduler::framework::UrlOf(*extender_, step),
                             .headers = {{"Content-Type", "application/json"}},
                             .body = std::move(body),
                             .timeout = TimeoutOf(*extender_),
                             .may_send = std::move(may_send)};
  return client_->Send(std::move(request), [extender = extender_, step, call = std::move(callback)](
                                               net::HttpResult<net::HttpResponse> response) {
    if (!response) return call(Fail(std::move(response).error().message));
    if (response->status != kOk) {
      return call(Fail(scheduler::framework::StatusError(*extender, step, response->status)));
    }
    call(std::move(response->body));
  });
}

Status ExtenderCaller::Probe() {
  // A check must end, even if the extender's calls need not.
  const Duration configured = TimeoutOf(*extender_);
  net::ClientRequest request;
  request.url = extender_->url_prefix;
  request.timeout = configured > Duration() ? configured : kDefaultTimeout;
  std::promise<Status> promise;
  client_->Send(std::move(request), [&](net::HttpResult<net::HttpResponse> response) {
    Status status;
    if (!response) status = Fail(response.error().message);
    promise.set_value(std::move(status));
  });
  return promise.get_future().get();
}

Result<std::unique_ptr<ExtenderCalls>> ExtenderCalls::Make(
    const std::vector<scheduler::framework::ExtenderConfig>& extenders) {
  std::unique_ptr<ExtenderCalls> calls(new ExtenderCalls());
  for (scheduler::framework::ExtenderConfig& extender :
       scheduler::framework::InOrderOfUse(extenders)) {
    auto caller = ExtenderCaller::Create(calls->loop_, std::move(extender));
    if (!caller) return std::unexpected(caller.error());
    calls->callers_.push_back(*std::move(caller));
  }
  calls->any_ = !extenders.empty();
  if (!calls->any_) return calls;
  calls->loop_.Start();
  calls->loop_.Post([] { observability::EnterThread("extender-loop"); });
  return calls;
}

void ExtenderCalls::Execute(const scheduler::framework::CallExtender& call, Done done,
                            std::function<bool()> may_bind) {
  if (call.step != scheduler::framework::ExtenderStep::kBind) may_bind = {};
  callers_[call.extender]->Call(
      call.step, call.body,
      [done = std::move(done)](Result<std::string> body) {
        if (!body)
          return done(
              {scheduler::framework::WriteResult::Kind::kUnavailable, body.error().message});
        done({.kind = scheduler::framework::WriteResult::Kind::kOk,
              .message = {},
              .body = *std::move(body)});
      },
      std::move(may_bind));
}

void ExtenderCalls::Stop() {
  if (callers_.empty()) return;
  callers_.clear();  // Posts the cancellation to the loop.
  net::RunAndWait(loop_, [] {});
}

scheduler::framework::WriteResult ExtenderCalls::ExecuteAndWait(
    const scheduler::framework::CallExtender& call) {
  std::promise<scheduler::framework::WriteResult> promise;
  Execute(call,
          [&](scheduler::framework::WriteResult result) { promise.set_value(std::move(result)); });
  return promise.get_future().get();
}

}  // namespace berth::runtime
