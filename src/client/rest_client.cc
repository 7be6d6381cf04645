#include "client/rest_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <future>
#include <map>
#include <utility>
#include <vector>

#include "client/api_status.h"
#include "client/rest_call.h"
#include "net/url.h"

namespace berth::client {
namespace {

constexpr int kUnauthorized = 401;
constexpr int kMaxRetries = 10;
constexpr Duration kMaxRetryAfter = Duration::Seconds(60);
// Longer error responses to streams are truncated.
constexpr size_t kMaxRefusalBytes = size_t{1} << 20;
// client-go's defaults.
constexpr double kDefaultQps = 5;
constexpr int kDefaultBurst = 10;

std::optional<TokenBucket> MakeBucket(const ClientConfig& config, Instant now) {
  const double qps = config.qps == 0 ? kDefaultQps : config.qps;
  const int burst = config.burst <= 0 ? kDefaultBurst : config.burst;
  if (!(qps > 0)) return std::nullopt;
  return TokenBucket(qps, burst, now);
}

}  // namespace

// Parts is used on the executor's thread only, except for the id and the constants. Callbacks of
// requests share it, because they may run after the client is destroyed.
class RestClient::Parts : public std::enable_shared_from_this<Parts> {
 public:
  using CallPtr = std::shared_ptr<RestCall>;

  Parts(net::Executor& executor, std::unique_ptr<net::HttpClient> http, ClientConfig config,
        std::string host, RestObserver* observer)
      : executor_(executor),
        http_(std::move(http)),
        config_(std::move(config)),
        host_(std::move(host)),
        observer_(observer),
        bucket_(MakeBucket(config_, executor_.Now())) {}

  RequestId NextId() { return ++last_id_; }
  const ClientConfig& config() const { return config_; }
  net::Executor& executor() const { return executor_; }

  void Begin(const CallPtr& call) {
    call->begun = executor_.Now();
    calls_[call->id] = call;
    AwaitRateLimit(call);
  }

  void Cancel(RequestId id) {
    const auto found = calls_.find(id);
    if (found == calls_.end()) return;
    const CallPtr call = found->second;
    if (call->sent != 0) http_->Cancel(call->sent);
    executor_.Cancel(call->timer);
    std::erase(waiting_, call);
    Finish(call,
           std::unexpected(net::HttpError{net::HttpError::Kind::kCancelled,
                                          fmt::format("{} {}{}: cancelled", call->request.method,
                                                      config_.server, call->request.path)}));
  }

  void CancelWaiting() {
    std::vector<RequestId> waiting;
    for (const auto& [id, call] : calls_) {
      if (call->sent == 0) waiting.push_back(id);
    }
    for (const RequestId id : waiting) Cancel(id);
  }

  void CancelAll() {
    while (!calls_.empty()) Cancel(calls_.begin()->first);
  }

 private:
  // Returns work that does nothing if the client is destroyed.
  std::function<void()> Guarded(void (Parts::*work)()) {
    return [weak = weak_from_this(), work] {
      if (const auto parts = weak.lock()) (parts.get()->*work)();
    };
  }

  // Returns a callback that calls `work` with the client, `call` and its arguments, unless the
  // client is destroyed, the call has ended or another attempt has begun.
  template <typename Work>
  auto Guarded(const CallPtr& call, Work work) {
    return [weak = weak_from_this(), call, tries = call->tries,
            work = std::move(work)]<typename... Args>(Args&&... args) {
      const auto parts = weak.lock();
      if (!parts || call->tries != tries || !parts->calls_.contains(call->id)) return;
      work(*parts, call, std::forward<Args>(args)...);
    };
  }

  void AwaitRateLimit(const CallPtr& call) {
    if (!bucket_) return Authenticate(call);
    call->waits_since = executor_.Now();
    waiting_.push_back(call);
    SendWaiting();
  }

  // Sends queued requests in order, within the rate limit.
  void SendWaiting() {
    while (!waiting_.empty()) {
      const Instant now = executor_.Now();
      if (const Duration wait = bucket_->Take(now); wait > Duration()) {
        executor_.Cancel(rate_limit_timer_);
        rate_limit_timer_ = executor_.After(wait, Guarded(&Parts::SendWaiting));
        return;
      }
      const CallPtr call = waiting_.front();
      waiting_.pop_front();
      if (observer_) observer_->Waited(call->request.method, host_, now - call->waits_since);
      Authenticate(call);
    }
  }

  void Authenticate(const CallPtr& call) {
    if (config_.credentials == nullptr) return Transmit(call, {});
    GetCredential(call, [this, call](Result<Credential> credential) {
      if (credential) return Transmit(call, *std::move(credential));
      FinishLater(call,
                  {net::HttpError::Kind::kCredentials, std::move(credential).error().message});
    });
  }

  // Calls `then` on the executor, possibly before it returns, unless the call has ended.
  void GetCredential(const CallPtr& call, std::function<void(Result<Credential>)> then) {
    config_.credentials->Get([weak = weak_from_this(), &executor = executor_, id = call->id,
                              then = std::move(then)](Result<Credential> credential) {
      executor.Dispatch([weak, id, then, credential = std::move(credential)]() mutable {
        const auto parts = weak.lock();
        if (parts && parts->calls_.contains(id)) then(std::move(credential));
      });
    });
  }

  // Uses the certificate of a credential, instead of the configured one, for new connections. A
  // pair that does not match, as while its files are replaced, is ignored.
  Result<void> UseCertificate(const Credential& credential) {
    if (credential.certificate.empty() || credential.certificate == certificate_) return {};
    net::TlsOptions tls = config_.tls;
    tls.cert_file.clear();
    tls.key_file.clear();
    tls.cert_data = credential.certificate;
    tls.key_data = credential.key;
    auto used = http_->UseTls(std::move(tls));
    if (used) certificate_ = credential.certificate;
    return certificate_.empty() ? used : Result<void>();
  }

  void Transmit(const CallPtr& call, Credential credential) {
    if (auto used = UseCertificate(credential); !used) {
      return FinishLater(call, {net::HttpError::Kind::kTls,
                                fmt::format("{}: {}", config_.server, used.error().message)});
    }
    net::ClientRequest request = ToClientRequest(call->request, config_, credential);
    call->credential = std::move(credential);
    ++call->tries;
    if (observer_) observer_->Sent(call->request.method, host_, request.body.size());
    if (call->stream) {
      OpenStream(call, std::move(request));
    } else {
      call->sent = http_->Send(std::move(request),
                               Guarded(call, [](Parts& parts, const CallPtr& same,
                                                net::HttpResult<net::HttpResponse> result) {
                                 parts.OnResponse(same, std::move(result));
                               }));
    }
  }

  void OpenStream(const CallPtr& call, net::ClientRequest request) {
    net::ResponseStream stream;
    stream.on_head = Guarded(call, [](Parts& parts, const CallPtr& same, int status,
                                      const std::vector<net::HttpHeader>& headers) {
      parts.StreamBegins(same, status, headers);
    });
    stream.on_data = Guarded(call, [](Parts&, const CallPtr& same, std::string_view bytes) {
      if (!same->refusal) return same->stream->on_data(bytes);
      std::string& body = same->refusal->body;
      body.append(bytes.substr(0, kMaxRefusalBytes - std::min(kMaxRefusalBytes, body.size())));
    });
    stream.on_end =
        Guarded(call, [](Parts& parts, const CallPtr& same, net::HttpResult<void> result) {
          parts.StreamEnds(same, std::move(result));
        });
    call->refusal.reset();
    call->sent = http_->Open(std::move(request), std::move(stream));
  }

  void StreamBegins(const CallPtr& call, int status, const std::vector<net::HttpHeader>& headers) {
    if (status < 200 || status >= 300) {
      call->refusal = net::HttpResponse{.status = status, .headers = headers, .body = {}};
      return;
    }
    call->streaming = true;
    if (observer_) observer_->Tried(call->request.method, host_, status);
    call->stream->on_head(status, headers);
  }

  void StreamEnds(const CallPtr& call, net::HttpResult<void> result) {
    if (call->refusal) return OnResponse(call, *std::exchange(call->refusal, std::nullopt));
    if (observer_ && !call->streaming) observer_->Tried(call->request.method, host_, 0);
    calls_.erase(call->id);
    call->stream->on_end(std::move(result));
  }

  void OnResponse(const CallPtr& call, net::HttpResult<net::HttpResponse> result) {
    call->sent = 0;
    const std::string& method = call->request.method;
    if (observer_) {
      observer_->Tried(method, host_, result ? result->status : 0);
      if (result && !call->stream) observer_->Received(method, host_, result->body.size());
    }
    if (!result) return Finish(call, std::move(result));
    if (result->status == kUnauthorized && config_.credentials && !call->asked_again) {
      return RetryWithNewCredential(call, *std::move(result));
    }
    const auto wait = RetryAfterOf(*result);
    if (wait && *wait <= kMaxRetryAfter && call->tries <= kMaxRetries) {
      if (observer_) observer_->Retried(method, host_, result->status);
      call->timer = executor_.After(*wait, Guarded(call, [](Parts& parts, const CallPtr& same) {
        parts.AwaitRateLimit(same);
      }));
      return;
    }
    Finish(call, std::move(result));
  }

  // Repeats the call with another credential after the server rejected this one.
  void RetryWithNewCredential(const CallPtr& call, net::HttpResponse refusal) {
    call->asked_again = true;
    config_.credentials->Refused(call->credential);
    GetCredential(call, [this, call, refusal = std::move(refusal)](Result<Credential> fresh) {
      if (!fresh || *fresh == call->credential) return Finish(call, refusal);
      if (observer_) observer_->Retried(call->request.method, host_, kUnauthorized);
      AwaitRateLimit(call);
    });
  }

  // Ends a call that failed before it was sent. Posted, because Send may not have returned yet.
  void FinishLater(const CallPtr& call, net::HttpError error) {
    executor_.Post(Guarded(call, [error = std::move(error)](Parts& parts, const CallPtr& same) {
      parts.Finish(same, std::unexpected(error));
    }));
  }

  void Finish(const CallPtr& call, net::HttpResult<net::HttpResponse> result) {
    calls_.erase(call->id);
    if (observer_ && !call->stream) {
      observer_->Finished(call->request.method, host_, executor_.Now() - call->begun);
    }
    call->Finish(std::move(result));
  }

  net::Executor& executor_;
  const std::unique_ptr<net::HttpClient> http_;
  const ClientConfig config_;
  const std::string host_;
  RestObserver* const observer_;
  std::atomic<RequestId> last_id_ = 0;
  std::map<RequestId, CallPtr> calls_;
  std::optional<TokenBucket> bucket_;
  std::deque<CallPtr> waiting_;
  net::Executor::TimerId rate_limit_timer_ = 0;
  std::string certificate_;  // The one of UseTls.
};

Result<std::unique_ptr<RestClient>> RestClient::Create(net::EventLoop& loop, ClientConfig config,
                                                       RestObserver* observer) {
  net::HttpClientOptions options;
  options.tls = config.tls;
  options.http2 = true;
  options.gzip = config.gzip;
  options.max_body_bytes = kMaxResponseBytes;
  auto http = net::HttpClient::Create(loop, options);
  if (!http) return Fail(config.server + ": " + http.error().message);
  return CreateOn(loop, *std::move(http), std::move(config), observer);
}

Result<std::unique_ptr<RestClient>> RestClient::CreateOn(net::Executor& executor,
                                                         std::unique_ptr<net::HttpClient> http,
                                                         ClientConfig config,
                                                         RestObserver* observer) {
  const auto url = net::ParseUrl(config.server);
  if (!url) return std::unexpected(url.error());
  while (config.server.ends_with('/')) config.server.pop_back();
  return std::unique_ptr<RestClient>(new RestClient(std::make_shared<Parts>(
      executor, std::move(http), std::move(config), url->authority(), observer)));
}

RestClient::RestClient(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}

RestClient::~RestClient() {
  // A stopped executor runs no callbacks.
  if (!parts_->executor().stopped()) CancelAll();
}

RestClient::RequestId RestClient::Send(RestRequest request, Callback callback) {
  auto call = std::make_shared<RestCall>();
  call->request = std::move(request);
  call->callback = std::move(callback);
  return Start(call);
}

RestClient::RequestId RestClient::Open(RestRequest request, net::ResponseStream stream) {
  auto call = std::make_shared<RestCall>();
  call->request = std::move(request);
  call->stream = std::move(stream);
  return Start(call);
}

RestClient::RequestId RestClient::Start(const std::shared_ptr<RestCall>& call) {
  call->id = parts_->NextId();
  const RequestId id = call->id;
  parts_->executor().Dispatch([parts = parts_, call] { parts->Begin(call); });
  return id;
}

void RestClient::Cancel(RequestId id) {
  parts_->executor().Post([parts = parts_, id] { parts->Cancel(id); });
}

void RestClient::CancelWaiting() {
  parts_->executor().Post([parts = parts_] { parts->CancelWaiting(); });
}

void RestClient::CancelAll() {
  parts_->executor().Post([parts = parts_] { parts->CancelAll(); });
}

const ClientConfig& RestClient::config() const { return parts_->config(); }

net::HttpResult<net::HttpResponse> SendAndWait(RestClient& client, const RestRequest& request) {
  std::promise<net::HttpResult<net::HttpResponse>> promise;
  client.Send(request, [&](auto response) { promise.set_value(std::move(response)); });
  return promise.get_future().get();
}

Result<std::string> GetAndWait(RestClient& client, const std::string& path) {
  RestRequest request;
  request.path = path;
  auto response = SendAndWait(client, request);
  if (!response || !response->ok()) return Fail(Describe(request, response));
  return std::move(response->body);
}

Result<std::optional<std::string>> GetIfFound(RestClient& client, const std::string& path) {
  RestRequest request;
  request.path = path;
  auto response = SendAndWait(client, request);
  if (response && response->status == 404) return std::nullopt;
  if (!response || !response->ok()) return Fail(Describe(request, response));
  return std::move(response->body);
}

}  // namespace berth::client
