#include "client/reflector.h"

#include <fmt/format.h>

#include "client/escaping.h"

namespace berth::client {
namespace {

constexpr Duration kShortWatch = Duration::Seconds(1);
// How often a missing or forbidden resource is logged, and a missing one requested again.
constexpr Duration kRarely = Duration::Seconds(600);
constexpr Duration kListTimeout = Duration::Seconds(300);
constexpr Duration kGrace = Duration::Seconds(30);
// Over HTTP/1.1 a silent watch is opened again after this time: there are no pings to tell a quiet
// server from one that is gone. As long as HTTP/2's pings take.
constexpr Duration kMaxSilence = Duration::Seconds(45);
// kube-apiserver sends a bookmark a minute. A watch that is silent for so long, and for more than
// twice the longest time between two bookmarks, delivers nothing any more.
constexpr Duration kMinSilence = Duration::Seconds(150);
constexpr int kSilenceFactor = 2;
constexpr int kPageLimit = 500;
// Even if all objects have the largest size, 3 MB, the page is not too long.
constexpr int kSmallPageLimit = 50;
constexpr std::string_view kProtobuf = "application/vnd.kubernetes.protobuf, application/json";

}  // namespace

Reflector::Reflector(RestClient& client, net::Executor& executor, ReflectorOptions options,
                     Sink sink, std::function<void()> on_synced, Warn warn)
    : client_(client),
      executor_(executor),
      options_(std::move(options)),
      sink_(std::move(sink)),
      on_synced_(std::move(on_synced)),
      warn_(std::move(warn)),
      outage_(options_.outage ? options_.outage : std::make_shared<OutageLog>(warn_)),
      random_(options_.seed),
      use_watch_list_(options_.watch_list),
      page_limit_(kPageLimit) {}

Reflector::~Reflector() { Abandon(); }

void Reflector::Start() { List(); }

void Reflector::Refresh(std::function<void()> done) {
  refreshed_.push_back(std::move(done));
  from_newest_ = true;
  List();
}

// --- requests ---

void Reflector::BeginList() {
  listed_ = {};
  listed_gone_.clear();
  continue_.clear();
  pages_ = 0;
  whole_list_ = false;
}

void Reflector::List() {
  BeginList();
  if (use_watch_list_) {
    ListByWatch();
  } else {
    NextPage();
  }
}

// For a server that fails to list by a watch, as all do whose etcd is older than 3.4.31 or 3.5.13.
// The next list is tried by a watch again, as client-go does.
void Reflector::ListInPages() {
  BeginList();
  NextPage();
}

// The last version seen prevents the list from going back in time.
void Reflector::ListByWatch() {
  const Duration time = NewWatchTime(random_);
  std::string query = fmt::format(
      "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
      "&allowWatchBookmarks=true&timeoutSeconds={:.0f}",
      time.seconds());
  if (!from_newest_ && !version_.empty()) query += "&resourceVersion=" + QueryEscape(version_);
  Open(Phase::kListing, std::move(query), time);
}

// Pages after the first have the version of the first. DIFFERS: kube-scheduler lists again without
// pages.
void Reflector::NextPage() {
  std::string query;
  const auto add = [&](const std::string& text) { query += (query.empty() ? "" : "&") + text; };
  if (!whole_list_) add(fmt::format("limit={}", page_limit_));
  if (!continue_.empty()) {
    add("continue=" + QueryEscape(continue_));
  } else if (!from_newest_) {
    add("resourceVersion=" + (version_.empty() ? "0" : QueryEscape(version_)));
  }
  Open(Phase::kPaging, std::move(query), kListTimeout);
}

void Reflector::Watch() {
  const Duration time = NewWatchTime(random_);
  Open(Phase::kWatching,
       fmt::format("watch=true&allowWatchBookmarks=true&resourceVersion={}&timeoutSeconds={:.0f}",
                   QueryEscape(version_), time.seconds()),
       time);
}

void Reflector::Open(Phase phase, std::string query, Duration timeout) {
  Abandon();
  if (!options_.field_selector.empty()) {
    query += (query.empty() ? "fieldSelector=" : "&fieldSelector=") +
             QueryEscape(options_.field_selector);
  }
  RestRequest request;
  const std::string& path = uses_other_path_ ? options_.other_path : options_.path;
  request.path = query.empty() ? path : path + "?" + query;
  if (options_.protobuf && options_.codec.protobuf != nullptr) request.accept = kProtobuf;
  // The server ends watches in time; this limit is for dead connections.
  request.timeout = timeout + kGrace;
  if (phase != Phase::kPaging) request.silence_limit = kMaxSilence;
  response_ = {.phase = phase, .since = executor_.Now(), .heard = executor_.Now()};
  last_bookmark_.reset();
  const uint64_t turn = turn_;
  const auto guard = [&](auto callback) {
    return callback_guard_.Guard([this, turn, callback](auto&&... arguments) {
      if (turn == turn_) (this->*callback)(std::forward<decltype(arguments)>(arguments)...);
    });
  };
  const RestClient::RequestId id =
      client_.Open(std::move(request), {.on_head = guard(&Reflector::OnHead),
                                        .on_data = guard(&Reflector::OnData),
                                        .on_end = guard(&Reflector::OnEnd)});
  if (turn == turn_) request_ = id;
}

void Reflector::Abandon() {
  ++turn_;
  if (request_) client_.Cancel(*request_);
  request_.reset();
}

void Reflector::StartTimer(Duration delay, void (Reflector::*what)()) {
  Abandon();
  executor_.After(delay, callback_guard_.Guard([this, turn = turn_, what] {
    if (turn == turn_) (this->*what)();
  }));
}

void Reflector::AfterBackoff(void (Reflector::*what)()) {
  StartTimer(backoff_.Next(random_, executor_.Now()), what);
}

// --- responses ---

void Reflector::OnHead(int status, const std::vector<net::HttpHeader>& headers) {
  response_.status = status;
  if (status < 500) outage_->Responded(executor_.Now());
  response_.form = FormOf(net::FindHeader(headers, "Content-Type"));
  const bool is_stream = response_.phase != Phase::kPaging && status >= 200 && status < 300;
  if (is_stream) response_.frames.emplace(response_.form);
}

void Reflector::OnData(std::string_view bytes) {
  if (!response_.frames) {
    if (bytes.size() > options_.max_page_bytes - response_.body.size()) return OnLongPage();
    response_.body += bytes;
    return;
  }
  response_.frames->Add(bytes);
  const uint64_t turn = turn_;
  while (turn == turn_) {
    const auto frame = response_.frames->Next();
    if (frame && !*frame) break;
    auto event = frame ? ReadWatchEvent(**frame, response_.form, options_.codec)
                       : Result<WatchEvent>(std::unexpected(frame.error()));
    if (!event) {
      ReportProblem("the watch sent what cannot be read: " + event.error().message);
      AfterBackoff(&Reflector::List);
      break;
    }
    response_.any_event = true;
    response_.heard = executor_.Now();
    if (!Take(*std::move(event))) break;
  }
  Deliver();
}

void Reflector::OnEnd(net::HttpResult<void> result) {
  request_.reset();
  const bool is_refusal =
      response_.status != 0 && (response_.status < 200 || response_.status > 299);
  if (is_refusal) {
    return OnRefused(ReadServerStatus(response_.status, response_.body, response_.form));
  }
  if (response_.phase == Phase::kPaging && result) return OnPage();
  const auto again = response_.phase == Phase::kWatching ? &Reflector::Watch : &Reflector::List;
  if (!result) {
    // Whether the server is still there shows when the watch is opened again.
    const bool silent = result.error().kind == net::HttpError::Kind::kTimeout;
    if (silent && response_.phase == Phase::kWatching && response_.status != 0) return Watch();
    ReportFailure(result.error().message);
    return AfterBackoff(again);
  }
  // Watches end regularly; one that ends at once is retried with backoff. A list by watch that ends
  // before it is complete is requested in pages.
  if (response_.phase == Phase::kListing) use_watch_list_ = false;
  const bool lasted = response_.any_event || executor_.Now() - response_.since >= kShortWatch;
  if (response_.phase == Phase::kWatching && lasted) return Watch();
  AfterBackoff(again);
}

void Reflector::OnPage() {
  auto page = ReadListPage(std::move(response_.body), response_.form, options_.codec);
  response_.body = {};
  if (!page) {
    ReportProblem(page.error().message);
    return AfterBackoff(&Reflector::List);
  }
  for (Received& received : page->items) Collect(std::move(received));
  continue_ = std::move(page->continue_token);
  if (!continue_.empty()) {
    if (++pages_ < kMaxListPages) return NextPage();
    ReportProblem(fmt::format("the list has more than {} pages", kMaxListPages));
    return AfterBackoff(&Reflector::List);
  }
  FinishList(std::move(page->resource_version));
  Deliver();
  Watch();
}

// Servers page only lists of the newest state.
void Reflector::OnLongPage() {
  ReportProblem(fmt::format("the list is longer than {} bytes", options_.max_page_bytes));
  if (std::exchange(from_newest_, true)) page_limit_ = kSmallPageLimit;
  AfterBackoff(&Reflector::List);
}

void Reflector::OnRefused(const ServerStatus& status) {
  const bool is_watching = response_.phase == Phase::kWatching;
  const bool is_streaming = response_.phase == Phase::kListing;
  switch (status.code) {
    case 404:
      return OnMissing();
    case 401:
    case 403:
      ReportProblem(
          fmt::format("the server does not let us read {}: {}", options_.resource, status.message));
      return AfterBackoff(is_watching ? &Reflector::Watch : &Reflector::List);
    case 410:
      if (is_watching) return AfterBackoff(&Reflector::List);
      if (!continue_.empty()) {
        BeginList();
        whole_list_ = true;
        return NextPage();
      }
      break;
    default:
      break;
  }
  const bool expired = status.code == 410 || status.version_too_large;
  if (expired && !is_watching && !from_newest_) {
    from_newest_ = true;
    return List();
  }
  const bool may_pass = expired || status.code == 429 || status.code >= 500;
  if (!may_pass && is_streaming) {
    use_watch_list_ = false;
    return List();
  }
  if (status.code >= 500) {
    ReportFailure(status.message);
  } else {
    ReportProblem(status.message);
  }
  if (is_watching && may_pass && !expired) return AfterBackoff(&Reflector::Watch);
  const bool failed = is_streaming && !expired && status.code >= 500;
  AfterBackoff(failed ? &Reflector::ListInPages : &Reflector::List);
}

// A server without the resource has none of its objects.
void Reflector::OnMissing() {
  if (!options_.other_path.empty() && !std::exchange(tried_other_path_, true)) {
    uses_other_path_ = !uses_other_path_;
    return List();
  }
  ReportProblem(fmt::format("the server has no resource {} ({}): going on as if there were none",
                            options_.resource, options_.path));
  BeginList();
  FinishList("");
  Deliver();
  StartTimer(kRarely, &Reflector::List);
}

bool Reflector::Take(WatchEvent event) {
  switch (event.type) {
    case WatchEvent::Type::kError:
      OnStreamError(event.status);
      return false;
    case WatchEvent::Type::kBookmark:
      if (response_.phase == Phase::kWatching) {
        if (!event.resource_version.empty()) version_ = std::move(event.resource_version);
        NoteBookmark();
      } else if (event.ends_list) {
        FinishList(std::move(event.resource_version));
        response_.phase = Phase::kWatching;
      }
      return true;
    case WatchEvent::Type::kUnknown:
      ReportProblem("the watch sent an event of an unknown type");
      return true;
    default:
      TakeObject(event.type, *std::move(event.received));
      return true;
  }
}

void Reflector::TakeObject(WatchEvent::Type type, Received received) {
  const bool gone = type == WatchEvent::Type::kDeleted;
  const api::ObjectMeta& meta = received.object ? api::MetaOf(*received.object) : received.meta;
  if (response_.phase == Phase::kListing) {
    if (!gone) return Collect(std::move(received));
    listed_gone_[{meta.namespace_, meta.name}] = listed_.objects.size();
    return;
  }
  if (!meta.resource_version.empty()) version_ = meta.resource_version;
  if (gone) {
    cache_.Gone(meta.namespace_, meta.name, events_);
  } else if (received.object) {
    NoteUndecodable(received);
    cache_.Put(*std::move(received.object), events_);
  } else {
    NoteUnreadable(received);
  }
}

void Reflector::NoteBookmark() {
  const Instant now = executor_.Now();
  if (last_bookmark_) bookmark_gap_ = std::max(bookmark_gap_, now - *last_bookmark_);
  last_bookmark_ = now;
  // One bookmark may be that of the end of a watch.
  if (bookmark_gap_ > Duration{} && !checks_silence_) CheckSilence();
}

void Reflector::CheckSilence() {
  const Duration limit = std::max(kMinSilence, bookmark_gap_ * kSilenceFactor);
  const bool is_watching =
      request_.has_value() && response_.phase == Phase::kWatching && response_.status != 0;
  const Duration silent = is_watching ? executor_.Now() - response_.heard : Duration{};
  if (silent >= limit) {
    options_.count_silent_watch(options_.resource);
    ReportProblem(fmt::format(
        "the watch has delivered nothing for {:.0f} seconds: opening it again", silent.seconds()));
    Watch();
  }
  checks_silence_ = true;
  const Duration rest = silent >= limit ? limit : limit - silent;
  executor_.After(rest, callback_guard_.Guard([this] { CheckSilence(); }));
}

void Reflector::OnStreamError(const ServerStatus& status) {
  const bool is_watching = response_.phase == Phase::kWatching;
  if (status.code != 410) ReportProblem(status.message);
  const bool expired = status.code == 410 || status.version_too_large;
  if (!is_watching && !expired && status.code != 429) return ListInPages();
  from_newest_ |= !is_watching && expired;
  const bool may_pass = status.code == 429 || status.code == 500;
  AfterBackoff(is_watching && may_pass ? &Reflector::Watch : &Reflector::List);
}

void Reflector::Collect(Received received) {
  if (received.object) {
    NoteUndecodable(received);
    listed_.objects.push_back(cache_.Share(*std::move(received.object)));
    return;
  }
  NoteUnreadable(received);
  listed_.unreadable.push_back({received.meta.namespace_, received.meta.name});
}

void Reflector::DropGone() {
  size_t place = 0;
  std::erase_if(listed_.objects, [&](const api::Object& object) {
    const auto gone = listed_gone_.find(api::KeyOf(object));
    return place++ < (gone == listed_gone_.end() ? 0 : gone->second);
  });
  std::erase_if(listed_.unreadable,
                [&](const api::ObjectKey& key) { return listed_gone_.contains(key); });
}

void Reflector::FinishList(std::string version) {
  ++lists_;
  tried_other_path_ = false;
  if (!listed_gone_.empty()) DropGone();
  cache_.Replace(std::exchange(listed_, {}), events_);
  version_ = std::move(version);
  from_newest_ = false;
  last_problem_.clear();
  if (!std::exchange(synced_, true)) {
    Deliver();
    if (on_synced_) on_synced_();
  }
  if (refreshed_.empty()) return;
  Deliver();
  for (const auto& done : std::exchange(refreshed_, {})) done();
}

namespace {

// What distinguishes an object from others that have had its name.
std::string IdentityOf(const api::ObjectMeta& meta) {
  return fmt::format("{}/{}/{}", meta.namespace_, meta.name, meta.uid);
}

}  // namespace

void Reflector::NoteUnreadable(const Received& received) {
  if (!reported_.Add(IdentityOf(received.meta), "")) return;
  warn_(fmt::format("the scheduler does not see {}", received.object.error().message));
  options_.count_undecodable(options_.resource, std::max<size_t>(received.undecodable.count(), 1));
}

void Reflector::NoteUndecodable(const Received& received) {
  if (received.undecodable.empty()) return;
  const api::ObjectMeta& meta = api::MetaOf(*received.object);
  const std::string problems = NewProblems(IdentityOf(meta), received.undecodable, reported_);
  if (problems.empty()) return;
  warn_(fmt::format("{} \"{}\": what cannot be read is left out: {}", options_.resource,
                    api::KeyOf(*received.object).ToString(), problems));
  options_.count_undecodable(options_.resource, received.undecodable.count());
}

void Reflector::Deliver() {
  if (!events_.empty()) sink_(std::exchange(events_, {}));
}

void Reflector::ReportProblem(const std::string& what) {
  const Instant now = executor_.Now();
  if (what == last_problem_ && now - last_problem_at_ < kRarely) return;
  last_problem_ = what;
  last_problem_at_ = now;
  warn_(fmt::format("{}: {}", options_.resource, what));
}

void Reflector::ReportFailure(const std::string& what) {
  outage_->Failed(fmt::format("{}: {}", options_.resource, what), executor_.Now());
}

}  // namespace berth::client
