#include "client/rest_client.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <map>
#include <utility>

#include "client/rest_call.h"
#include "client/rest_transport.h"
#include "client/timers.h"
#include "net/url.h"

namespace berth::client {
namespace {

constexpr int kUnauthorized = 401;
constexpr int kMaxRetries = 10;
constexpr Duration kMaxRetryAfter = Duration::Seconds(60);
// Of the refusal of a stream; what is longer is cut.
constexpr size_t kMaxRefusalBytes = size_t{1} << 20;
// client-go's, where nothing is configured.
constexpr double kDefaultQps = 5;
constexpr int kDefaultBurst = 10;

std::optional<TokenBucket> MakeBucket(const ClientConfig& config, Instant now) {
  const double qps = config.qps == 0 ? kDefaultQps : config.qps;
  const int burst = config.burst <= 0 ? kDefaultBurst : config.burst;
  if (!(qps > 0)) return std::nullopt;
  return TokenBucket(qps, burst, now);
}

}  // namespace

// All but the id and what is const belongs to the loop's thread.
class RestClient::Parts : public std::enable_shared_from_this<Parts> {
 public:
  using CallPtr = std::shared_ptr<RestCall>;

  Parts(std::shared_ptr<Timers> timers, std::unique_ptr<RestTransport> transport,
        ClientConfig config, std::string host, RestObserver* observer)
      : timers_(std::move(timers)),
        transport_(std::move(transport)),
        config_(std::move(config)),
        host_(std::move(host)),
        observer_(observer),
        bucket_(MakeBucket(config_, timers_->Now())) {}

  RequestId NextId() { return ++last_id_; }
  const ClientConfig& config() const { return config_; }
  Timers& timers() const { return *timers_; }

  void Begin(const CallPtr& call) {
    call->begun = timers_->Now();
    calls_[call->id] = call;
    AwaitRateLimit(call);
  }

  void Cancel(RequestId id) {
    const auto found = calls_.find(id);
    if (found == calls_.end()) return;
    const CallPtr call = found->second;
    if (call->sent != 0) transport_->Cancel(call->sent);
    timers_->Cancel(call->timer);
    std::erase(waiting_, call);
    Finish(call, std::unexpected(RestError{RestError::Kind::kCancelled,
                                           fmt::format("{} {}{}: cancelled", call->request.method,
                                                       config_.server, call->request.path)}));
  }

  void CancelAll() {
    while (!calls_.empty()) Cancel(calls_.begin()->first);
  }

 private:
  // Work that is dropped if the client is gone.
  std::function<void()> Guarded(void (Parts::*work)()) {
    return [weak = weak_from_this(), work] {
      if (const auto parts = weak.lock()) (parts.get()->*work)();
    };
  }

  // Calls `work` with the client, `call` and what comes, unless the client is gone or the call has
  // ended or gone on to another try.
  template <typename Work>
  auto Guarded(const CallPtr& call, Work work) {
    return [weak = weak_from_this(), call, tries = call->tries,
            work]<typename... Args>(Args&&... args) {
      const auto parts = weak.lock();
      if (!parts || call->tries != tries || !parts->calls_.contains(call->id)) return;
      work(*parts, call, std::forward<Args>(args)...);
    };
  }

  void AwaitRateLimit(const CallPtr& call) {
    if (!bucket_) return Authenticate(call);
    call->waits_since = timers_->Now();
    waiting_.push_back(call);
    SendWaiting();
  }

  // First come, first served.
  void SendWaiting() {
    while (!waiting_.empty()) {
      const Instant now = timers_->Now();
      if (const Duration wait = bucket_->Take(now); wait > Duration()) {
        timers_->Cancel(rate_limit_timer_);
        rate_limit_timer_ = timers_->After(wait, Guarded(&Parts::SendWaiting));
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
      Finish(call, std::unexpected(RestError{RestError::Kind::kCredentials,
                                             std::move(credential).error().message}));
    });
  }

  // `then` is called later on the loop, unless the call is over by then.
  void GetCredential(const CallPtr& call, std::function<void(Result<Credential>)> then) {
    config_.credentials->Get([weak = weak_from_this(), timers = timers_, id = call->id,
                              then = std::move(then)](Result<Credential> credential) {
      timers->Post([weak, id, then, credential = std::move(credential)]() mutable {
        const auto parts = weak.lock();
        if (parts && parts->calls_.contains(id)) then(std::move(credential));
      });
    });
  }

  // Those who have certificates from elsewhere than the configuration change connections with
  // them. A pair that does not fit together, as while its files are replaced, is passed over.
  Result<void> UseCertificate(const Credential& credential) {
    if (credential.certificate.empty() || credential.certificate == certificate_) return {};
    net::TlsOptions tls = config_.tls;
    tls.cert_file.clear();
    tls.key_file.clear();
    tls.cert_data = credential.certificate;
    tls.key_data = credential.key;
    auto used = transport_->UseTls(std::move(tls));
    if (used) certificate_ = credential.certificate;
    return certificate_.empty() ? used : Result<void>();
  }

  void Transmit(const CallPtr& call, Credential credential) {
    if (auto used = UseCertificate(credential); !used) {
      return Finish(call, std::unexpected(RestError{
                              RestError::Kind::kTls,
                              fmt::format("{}: {}", config_.server, used.error().message)}));
    }
    net::ClientRequest request = ToClientRequest(call->request, config_, credential);
    call->credential = std::move(credential);
    ++call->tries;
    if (observer_) observer_->Sent(call->request.method, host_, request.body.size());
    if (call->stream) {
      OpenStream(call, std::move(request));
    } else {
      call->sent = transport_->Send(std::move(request),
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
    call->sent = transport_->Open(std::move(request), std::move(stream));
  }

  void StreamBegins(const CallPtr& call, int status, const std::vector<net::HttpHeader>& headers) {
    if (status < 200 || status >= 300) {
      call->refusal = net::HttpResponse{.status = status, .headers = headers, .body = {}};
      return;
    }
    call->streaming = true;
    if (observer_) observer_->Tried(call->request.method, host_, status);
    call->stream->on_head(status, net::FindHeader(headers, "Content-Type"));
  }

  void StreamEnds(const CallPtr& call, net::HttpResult<void> result) {
    if (call->refusal) return OnResponse(call, *std::exchange(call->refusal, std::nullopt));
    if (observer_ && !call->streaming) observer_->Tried(call->request.method, host_, 0);
    calls_.erase(call->id);
    if (result) return call->stream->on_end({});
    call->stream->on_end(std::unexpected(ToRestError(std::move(result).error())));
  }

  void OnResponse(const CallPtr& call, net::HttpResult<net::HttpResponse> result) {
    call->sent = 0;
    const std::string& method = call->request.method;
    if (observer_) {
      observer_->Tried(method, host_, result ? result->status : 0);
      if (result && !call->stream) observer_->Received(method, host_, result->body.size());
    }
    if (!result) return Finish(call, std::unexpected(ToRestError(std::move(result).error())));
    if (result->status == kUnauthorized && config_.credentials && !call->asked_again) {
      return RetryWithNewCredential(call, *std::move(result));
    }
    const auto wait = RetryAfterOf(*result);
    if (wait && *wait <= kMaxRetryAfter && call->tries <= kMaxRetries) {
      if (observer_) observer_->Retried(method, host_, result->status);
      call->timer = timers_->After(*wait, Guarded(call, [](Parts& parts, const CallPtr& same) {
        parts.AwaitRateLimit(same);
      }));
      return;
    }
    Finish(call, ToRestAnswer(*std::move(result)));
  }

  // The server does not know us: perhaps by another credential.
  void RetryWithNewCredential(const CallPtr& call, net::HttpResponse refusal) {
    call->asked_again = true;
    config_.credentials->Refused(call->credential);
    GetCredential(call, [this, call, refusal = std::move(refusal)](Result<Credential> fresh) {
      if (!fresh || *fresh == call->credential) return Finish(call, ToRestAnswer(refusal));
      if (observer_) observer_->Retried(call->request.method, host_, kUnauthorized);
      AwaitRateLimit(call);
    });
  }

  void Finish(const CallPtr& call, RestResult<RestResponse> result) {
    calls_.erase(call->id);
    if (observer_ && !call->stream) {
      observer_->Finished(call->request.method, host_, timers_->Now() - call->begun);
    }
    call->Finish(std::move(result));
  }

  const std::shared_ptr<Timers> timers_;
  const std::unique_ptr<RestTransport> transport_;
  const ClientConfig config_;
  const std::string host_;
  RestObserver* const observer_;
  std::atomic<RequestId> last_id_ = 0;
  std::map<RequestId, CallPtr> calls_;
  std::optional<TokenBucket> bucket_;
  std::deque<CallPtr> waiting_;
  Timers::TimerId rate_limit_timer_ = 0;
  std::string certificate_;  // In use, of those that credentials gave.
};

Result<std::unique_ptr<RestClient>> RestClient::CreateOn(std::shared_ptr<Timers> timers,
                                                         std::unique_ptr<RestTransport> transport,
                                                         ClientConfig config,
                                                         RestObserver* observer) {
  const auto url = net::ParseUrl(config.server);
  if (!url) return std::unexpected(url.error());
  while (config.server.ends_with('/')) config.server.pop_back();
  return std::unique_ptr<RestClient>(new RestClient(std::make_shared<Parts>(
      std::move(timers), std::move(transport), std::move(config), url->authority(), observer)));
}

RestClient::RestClient(std::shared_ptr<Parts> parts) : parts_(std::move(parts)) {}

RestClient::~RestClient() {
  // A loop that has stopped calls nobody back any more.
  if (parts_->timers().stopped()) return;
  parts_->timers().Post([parts = parts_] { parts->CancelAll(); });
}

RestClient::RequestId RestClient::Send(RestRequest request, Callback callback) {
  auto call = std::make_shared<RestCall>();
  call->id = parts_->NextId();
  call->request = std::move(request);
  call->callback = std::move(callback);
  parts_->timers().Post([parts = parts_, call] { parts->Begin(call); });
  return call->id;
}

RestClient::RequestId RestClient::Open(RestRequest request, Stream stream) {
  auto call = std::make_shared<RestCall>();
  call->id = parts_->NextId();
  call->request = std::move(request);
  call->stream = std::move(stream);
  parts_->timers().Post([parts = parts_, call] { parts->Begin(call); });
  return call->id;
}

void RestClient::Cancel(RequestId id) {
  parts_->timers().Post([parts = parts_, id] { parts->Cancel(id); });
}

const ClientConfig& RestClient::config() const { return parts_->config(); }

// RestClient::Create, declared in rest_client.h: apart from the rest so that what runs on other
// transports needs no network.
Result<std::unique_ptr<RestClient>> RestClient::Create(net::EventLoop& loop, ClientConfig config,
                                                       RestObserver* observer) {
  auto transport = MakeHttpTransport(loop, config);
  if (!transport) return Fail(config.server + ": " + transport.error().message);
  return CreateOn(std::make_shared<LoopTimers>(loop), *std::move(transport), std::move(config),
                  observer);
}

Requests::RequestId RestRequests::Send(RestRequest request, RestClient::Callback callback) {
  return client_.Send(std::move(request), std::move(callback));
}

Requests::RequestId RestRequests::Open(RestRequest request, RestClient::Stream stream) {
  return client_.Open(std::move(request), std::move(stream));
}

void RestRequests::Cancel(RequestId id) { client_.Cancel(id); }

}  // namespace berth::client
