#include "client/lease_candidate.h"

#include <algorithm>
#include <utility>

#include "api/json/document.h"
#include "api/json/writer.h"
#include "api/timestamp.h"
#include "client/api_status.h"

namespace berth::client {
namespace {

using api::JsonObject;

constexpr std::string_view kCandidateVersion = "coordination.k8s.io/v1beta1";
constexpr Duration kRenewInterval = Duration::Seconds(300);
// The retries of client-go's work queues.
constexpr Duration kFirstRetry = Duration::Millis(5);
constexpr Duration kLongestRetry = Duration::Seconds(1000);

std::string CandidatesPath(const LeaseCandidateOptions& options) {
  return "/apis/coordination.k8s.io/v1beta1/namespaces/" + options.name_space + "/leasecandidates";
}

// Returns a zero time if there is none, or it is invalid.
Instant SpecTime(const JsonObject& candidate, std::string_view key) {
  const JsonObject* spec = api::ObjectAt(&candidate, "spec");
  return api::ParseTimestamp(api::StringAt(spec, key)).value_or(Instant());
}

}  // namespace

LeaseCandidate::LeaseCandidate(RestClient& client, net::Executor& executor, const Clock& wall_clock,
                               LeaseCandidateOptions options, ElectionLog log)
    : client_(client),
      executor_(executor),
      wall_clock_(wall_clock),
      options_(std::move(options)),
      log_(std::move(log)),
      watch_(
          client, executor,
          {.path = CandidatesPath(options_),
           .name = options_.name,
           .watch_list = options_.watch_list,
           .seed = options_.seed},
          [this] { OnChange(); },
          [this](const std::string& problem) {
            Log({.level = ElectionLogLine::kError,
                 .message = "Failed to watch",
                 .error = "failed to list *v1beta1.LeaseCandidate: " + problem});
          }),
      retry_delay_(kFirstRetry) {}

LeaseCandidate::~LeaseCandidate() { executor_.Cancel(timer_); }

void LeaseCandidate::Start() { watch_.Start(); }

void LeaseCandidate::Log(const ElectionLogLine& line) const {
  if (log_) log_(line);
}

void LeaseCandidate::OnChange() {
  if (!synced_.exchange(true) || IsPinged()) Ensure();
}

bool LeaseCandidate::IsPinged() const {
  return SpecTime(watch_.object(), "pingTime") > SpecTime(watch_.object(), "renewTime");
}

void LeaseCandidate::Ensure() {
  if (is_writing_) {
    write_again_ = true;
    return;
  }
  is_writing_ = true;
  if (watch_.object().empty()) {
    Log({.level = 2, .message = "Creating lease candidate"});
    under_way_ = CreateRequest();
  } else {
    Log({.level = 2, .message = "Lease candidate exists. Renewing."});
    under_way_ = RenewRequest();
  }
  client_.Send(under_way_, callback_guard_.Guard([this](net::HttpResult<net::HttpResponse> result) {
    OnWritten(std::move(result));
  }));
}

// DIFFERS: client-go's retries never forget earlier failures; after twenty of them in all, the next
// one delays the renewal by a quarter of an hour.
void LeaseCandidate::OnWritten(net::HttpResult<net::HttpResponse> result) {
  is_writing_ = false;
  if (result && result->ok()) {
    if (under_way_.method == "POST") Log({.level = 2, .message = "Created lease candidate"});
    retry_delay_ = kFirstRetry;
    EnsureAfter(kRenewInterval);
  } else {
    Log({.level = ElectionLogLine::kError,
         .message = "Ensuring lease failed",
         .error = Describe(under_way_, result)});
    EnsureAfter(retry_delay_);
    retry_delay_ = std::min(retry_delay_ * 2, kLongestRetry);
  }
  if (std::exchange(write_again_, false)) Ensure();
}

// An earlier time that is already set stays.
void LeaseCandidate::EnsureAfter(Duration delay) {
  const Instant due = executor_.Now() + delay;
  if (timer_ != 0 && due_ <= due) return;
  executor_.Cancel(timer_);
  due_ = due;
  timer_ = executor_.After(delay, callback_guard_.Guard([this] {
    timer_ = 0;
    Ensure();
  }));
}

// DIFFERS: a clock that is behind the server's counts as the time of the ping. client-go's
// candidates write as fast as they can until their clock has caught up.
Instant LeaseCandidate::RenewTime() const {
  return std::max(wall_clock_.Now(), SpecTime(watch_.object(), "pingTime"));
}

RestRequest LeaseCandidate::CreateRequest() const {
  JsonObject candidate;
  api::SetString(candidate, "apiVersion", kCandidateVersion);
  api::SetString(candidate, "kind", "LeaseCandidate");
  JsonObject& metadata = api::EnsureObject(candidate, "metadata");
  api::SetString(metadata, "name", options_.name);
  api::SetString(metadata, "namespace", options_.name_space);
  JsonObject& spec = api::EnsureObject(candidate, "spec");
  api::SetString(spec, "leaseName", options_.lease_name);
  api::SetString(spec, "renewTime", api::FormatMicroTime(RenewTime()));
  api::SetString(spec, "binaryVersion", options_.binary_version);
  api::SetString(spec, "emulationVersion", options_.emulation_version);
  api::SetString(spec, "strategy", options_.strategy);
  RestRequest request;
  request.method = "POST";
  request.path = CandidatesPath(options_);
  request.body = api::ToJsonText(candidate);
  request.content_type = "application/json";
  return request;
}

RestRequest LeaseCandidate::RenewRequest() const {
  JsonObject candidate = watch_.object();
  // Events of a watch are whole objects; items of a list have neither.
  api::SetString(candidate, "apiVersion", kCandidateVersion);
  api::SetString(candidate, "kind", "LeaseCandidate");
  api::SetString(api::EnsureObject(candidate, "spec"), "renewTime",
                 api::FormatMicroTime(RenewTime()));
  RestRequest request;
  request.method = "PUT";
  request.path = CandidatesPath(options_) + "/" + options_.name;
  request.body = api::ToJsonText(candidate);
  request.content_type = "application/json";
  return request;
}

}  // namespace berth::client
