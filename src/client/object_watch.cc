#include "client/object_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "client/escaping.h"

namespace berth::client {
namespace {

using api::JsonObject;
using api::ObjectAt;
using api::StringAt;

constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";
constexpr Duration kTooShortWatch = Duration::Seconds(1);
constexpr Duration kOneListTimeout = Duration::Seconds(30);
// How often the same problem is logged.
constexpr Duration kReportInterval = Duration::Seconds(600);
// As in Reflector: dead connections, and silent ones over HTTP/1.1.
constexpr Duration kWatchGrace = Duration::Seconds(30);
constexpr Duration kWatchSilence = Duration::Seconds(45);
// One object, or an error that names many: a server that ignores the field selector is refused.
constexpr size_t kMaxObjectListBytes = size_t{16} << 20;

std::string_view VersionOf(const JsonObject* object) {
  return StringAt(ObjectAt(object, "metadata"), "resourceVersion");
}

}  // namespace

ObjectWatch::ObjectWatch(RestClient& client, net::Executor& executor, ObjectWatchOptions options,
                         std::function<void()> on_change, Warn warn)
    : client_(client),
      executor_(executor),
      options_(std::move(options)),
      on_change_(std::move(on_change)),
      warn_(std::move(warn)),
      random_(options_.seed),
      use_watch_list_(options_.watch_list) {}

ObjectWatch::~ObjectWatch() { Abandon(); }

void ObjectWatch::Start() { List(); }

// --- requests ---

void ObjectWatch::List() {
  listed_.clear();
  if (!use_watch_list_) {
    // The first list may be an old one; later ones must not go back in time.
    return Open(Phase::kPaging, version_.empty() ? "limit=500&resourceVersion=0" : "limit=500",
                kOneListTimeout);
  }
  const Duration time = NewWatchTime(random_);
  Open(Phase::kListing,
       fmt::format("watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
                   "&allowWatchBookmarks=true&timeoutSeconds={:.0f}",
                   time.seconds()),
       time);
}

void ObjectWatch::Watch() {
  const Duration time = NewWatchTime(random_);
  Open(Phase::kWatching,
       fmt::format("watch=true&allowWatchBookmarks=true&resourceVersion={}&timeoutSeconds={:.0f}",
                   QueryEscape(version_), time.seconds()),
       time);
}

void ObjectWatch::Open(Phase phase, std::string query, Duration timeout) {
  Abandon();
  RestRequest request;
  request.path = fmt::format("{}?{}&fieldSelector={}", options_.path, query,
                             QueryEscape("metadata.name=" + options_.name));
  request.timeout = timeout + kWatchGrace;
  if (phase != Phase::kPaging) request.silence_limit = kWatchSilence;
  phase_ = phase;
  since_ = executor_.Now();
  status_ = 0;
  frames_.reset();
  body_.clear();
  const uint64_t turn = turn_;
  const auto guard = [&](auto callback) {
    return callback_guard_.Guard([this, turn, callback](auto&&... arguments) {
      if (turn == turn_) (this->*callback)(std::forward<decltype(arguments)>(arguments)...);
    });
  };
  const RestClient::RequestId id =
      client_.Open(std::move(request), {.on_head = guard(&ObjectWatch::OnHead),
                                        .on_data = guard(&ObjectWatch::OnData),
                                        .on_end = guard(&ObjectWatch::OnEnd)});
  if (turn == turn_) request_ = id;
}

void ObjectWatch::AfterBackoff(void (ObjectWatch::*what)()) {
  Abandon();
  executor_.After(backoff_.Next(random_, executor_.Now()),
                  callback_guard_.Guard([this, turn = turn_, what] {
                    if (turn == turn_) (this->*what)();
                  }));
}

void ObjectWatch::Abandon() {
  ++turn_;
  if (request_) client_.Cancel(*request_);
  request_.reset();
}

// --- responses ---

void ObjectWatch::OnHead(int status, const std::vector<net::HttpHeader>&) {
  status_ = status;
  const bool is_stream = phase_ != Phase::kPaging && status >= 200 && status < 300;
  if (is_stream) frames_.emplace(WireForm::kJson);
}

void ObjectWatch::OnData(std::string_view bytes) {
  if (!frames_) {
    body_ += bytes.substr(0, kMaxObjectListBytes - std::min(kMaxObjectListBytes, body_.size()));
    return;
  }
  frames_->Add(bytes);
  const uint64_t turn = turn_;
  while (turn == turn_) {
    const auto frame = frames_->Next();
    if (!frame) {
      Report("the watch sent what cannot be read: " + frame.error().message);
      return AfterBackoff(&ObjectWatch::List);
    }
    if (!*frame || !Take(**frame)) return;
  }
}

void ObjectWatch::OnEnd(net::HttpResult<void> result) {
  request_.reset();
  if (status_ != 0 && (status_ < 200 || status_ > 299)) {
    return OnRefused(ReadServerStatus(status_, body_, WireForm::kJson));
  }
  if (phase_ == Phase::kPaging && result) return OnPage();
  const auto again = phase_ == Phase::kWatching ? &ObjectWatch::Watch : &ObjectWatch::List;
  if (!result) {
    // Whether the server is still there shows when the watch is opened again.
    const bool silent = result.error().kind == net::HttpError::Kind::kTimeout;
    if (silent && phase_ == Phase::kWatching && status_ != 0) return Watch();
    Report(result.error().message);
    return AfterBackoff(again);
  }
  // A list by watch that ends before it is complete is requested without one.
  if (phase_ == Phase::kListing) use_watch_list_ = false;
  const bool lasted = executor_.Now() - since_ >= kTooShortWatch;
  if (phase_ == Phase::kWatching && lasted) return Watch();
  AfterBackoff(again);
}

void ObjectWatch::OnRefused(const ServerStatus& status) {
  const bool is_watching = phase_ == Phase::kWatching;
  // Servers without WatchList reject the parameters of the request.
  const bool is_invalid = status.code == 400 || status.code == 422;
  if (phase_ == Phase::kListing && is_invalid) {
    use_watch_list_ = false;
    return List();
  }
  const bool expired = status.code == 410;
  if (!(expired && is_watching)) Report(status.message);
  AfterBackoff(is_watching && !expired ? &ObjectWatch::Watch : &ObjectWatch::List);
}

void ObjectWatch::OnPage() {
  auto parsed = api::ParseJson(body_);
  JsonObject* list = parsed ? api::AsObject(*parsed) : nullptr;
  api::JsonArray* items = api::ArrayAt(list, "items");
  if (list == nullptr || VersionOf(list).empty()) {
    Report("the list cannot be read");
    return AfterBackoff(&ObjectWatch::List);
  }
  for (size_t i = 0; items != nullptr && i < items->size(); ++i) {
    JsonObject* item = api::AsObject((*items)[i]);
    if (StringAt(ObjectAt(item, "metadata"), "name") == options_.name) listed_ = std::move(*item);
  }
  FinishList(VersionOf(list));
  Watch();
}

bool ObjectWatch::Take(std::string_view frame) {
  auto parsed = api::ParseJson(frame);
  JsonObject* event = parsed ? api::AsObject(*parsed) : nullptr;
  JsonObject* object = ObjectAt(event, "object");
  const std::string_view type = StringAt(event, "type");
  if (object == nullptr || type == "ERROR") {
    const bool expired = api::IntAt(object, "code") == 410;
    if (!expired) Report(fmt::format("the watch failed: {}", StringAt(object, "message")));
    AfterBackoff(&ObjectWatch::List);
    return false;
  }
  const bool is_listing = phase_ == Phase::kListing;
  const JsonObject* metadata = ObjectAt(object, "metadata");
  if (type == "BOOKMARK") {
    const bool ends = StringAt(ObjectAt(metadata, "annotations"), kInitialEventsEnd) == "true";
    if (is_listing && ends) {
      FinishList(VersionOf(object));
      phase_ = Phase::kWatching;
    } else if (!is_listing) {
      version_ = VersionOf(object);
    }
    return true;
  }
  if (StringAt(metadata, "name") != options_.name) return true;
  if (!is_listing) version_ = VersionOf(object);
  JsonObject state = type == "DELETED" ? JsonObject() : std::move(*object);
  if (is_listing) {
    listed_ = std::move(state);
  } else {
    Set(std::move(state));
  }
  return true;
}

void ObjectWatch::FinishList(std::string_view version) {
  version_ = version;
  synced_ = true;
  last_problem_.clear();
  Set(std::exchange(listed_, {}));
}

void ObjectWatch::Set(JsonObject object) {
  object_ = std::move(object);
  on_change_();
}

void ObjectWatch::Report(const std::string& problem) {
  const Instant now = executor_.Now();
  if (problem == last_problem_ && now - last_problem_at_ < kReportInterval) return;
  last_problem_ = problem;
  last_problem_at_ = now;
  warn_(problem);
}

}  // namespace berth::client
