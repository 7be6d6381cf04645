#include "apiserver/watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>

#include "api/json/json_text.h"
#include "apiserver/list.h"
#include "apiserver/protobuf_responses.h"

namespace berth::apiserver {
namespace {

using State = net::BodySource::State;

// The number of events processed before other watches on the same thread continue.
constexpr size_t kEventsPerRead = 1024;
constexpr size_t kEventsAtOnce = 64;

constexpr std::string_view kAdded = R"({"type":"ADDED","object":)";
constexpr std::string_view kModified = R"({"type":"MODIFIED","object":)";
constexpr std::string_view kDeleted = R"({"type":"DELETED","object":)";
constexpr std::string_view kBookmark = R"({"type":"BOOKMARK","object":)";
constexpr std::string_view kError = R"({"type":"ERROR","object":)";
constexpr std::string_view kEventEnd = "}\n";

// Returns "ADDED" for kAdded.
std::string_view TypeOf(std::string_view head) {
  constexpr size_t kPrefix = std::string_view(R"({"type":")").size();
  return head.substr(kPrefix, head.find('"', kPrefix) - kPrefix);
}

}  // namespace

class WatchSource::Writer {
 public:
  Writer(size_t limit, std::vector<net::Piece>& out)
      : limit_(limit), out_(out), counted_(out.size()) {}

  std::vector<net::Piece>& out() { return out_; }
  bool full() {
    for (; counted_ < out_.size(); ++counted_) bytes_ += out_[counted_].bytes.size();
    return bytes_ >= limit_;
  }

 private:
  size_t limit_;
  std::vector<net::Piece>& out_;
  size_t counted_;
  size_t bytes_ = 0;
};

WatchSource::WatchSource(WatchPlan plan, store::Store& store, const Clock& clock,
                         std::shared_ptr<net::Exchange> exchange)
    : plan_(std::move(plan)), store_(store), clock_(clock), exchange_(std::move(exchange)) {
  const Instant now = clock_.Now();
  if (plan_.timeout) ends_at_ = now + *plan_.timeout;
  bookmark_at_ = now + kBookmarkEvery;
  cursor_ = store.Watch(plan_.form.kind().collection, plan_.from,
                        [exchange = exchange_] { exchange->Wake(); });
}

State WatchSource::Read(size_t limit, std::vector<net::Piece>& out) {
  try {
    return ReadEvents(limit, out);
  } catch (const std::exception&) {
    // Such as std::bad_alloc: ends the watch, not the process. The client starts another.
    return State::kEnd;
  }
}

State WatchSource::ReadEvents(size_t limit, std::vector<net::Piece>& out) {
  Writer writer(limit, out);
  const Instant now = clock_.Now();
  if (const auto state = SendInitial(writer)) return *state;
  if (ends_at_ && now >= *ends_at_) return State::kEnd;
  if (const auto state = SendEvents(writer)) return *state;
  if (plan_.bookmarks && now >= bookmark_at_) {
    SendBookmark(std::max(cursor_->position(), plan_.from), false, writer);
    bookmark_at_ = now + kBookmarkEvery;
  }
  ScheduleWake(now);
  return State::kWait;
}

std::optional<State> WatchSource::SendInitial(Writer& writer) {
  while (!plan_.initial.empty()) {
    ContinueToken next{.version = plan_.from, .after = plan_.initial.back()->key};
    for (; initial_sent_ < plan_.initial.size(); ++initial_sent_) {
      if (writer.full()) return State::kMore;
      SendObject(kAdded, plan_.initial[initial_sent_], writer);
      // The last one tells where the next part starts.
      if (initial_sent_ + 1 < plan_.initial.size()) plan_.initial[initial_sent_].reset();
    }
    plan_.initial = {};
    initial_sent_ = 0;
    if (!plan_.more_initial) break;
    store::ListResult part =
        SnapshotPart(store_, plan_.form.kind(), plan_.namespace_, plan_.selector, next);
    if (part.expired) {
      SendExpired(writer);
      return State::kEnd;
    }
    plan_.initial = std::move(part.objects);
    plan_.more_initial = part.more;
  }
  if (plan_.initial_end_bookmark) SendBookmark(plan_.from, true, writer);
  plan_.initial_end_bookmark = false;
  return std::nullopt;
}

std::optional<State> WatchSource::SendEvents(Writer& writer) {
  for (size_t read = 0; read < kEventsPerRead;) {
    if (writer.full()) return State::kMore;
    events_.clear();
    if (!cursor_->Read(kEventsAtOnce, events_)) {
      SendExpired(writer);
      return State::kEnd;
    }
    if (events_.empty()) return std::nullopt;
    for (const store::Event& event : events_) SendEvent(event, writer);
    read += events_.size();
  }
  return State::kMore;
}

void WatchSource::SendEvent(const store::Event& event, Writer& writer) {
  // A client may start from a future version.
  if (event.version() <= plan_.from) return;
  if (!plan_.namespace_.empty() && event.object->key.namespace_ != plan_.namespace_) return;
  const bool matched_before = event.previous != nullptr && plan_.selector.Matches(*event.previous);
  const bool matches_now =
      event.type != store::EventType::kDeleted && plan_.selector.Matches(*event.object);
  if (matches_now) {
    SendObject(matched_before ? kModified : kAdded, event.object, writer);
  } else if (matched_before && event.type == store::EventType::kDeleted) {
    SendObject(kDeleted, event.object, writer);
  } else if (matched_before) {
    SendUnselected(event.previous, event.version(), writer);
  }
}

template <typename AppendObject>
void WatchSource::Send(std::string_view head, Writer& writer, const AppendObject& append) {
  if (!plan_.form.protobuf()) {
    writer.out().push_back(Literal(head));
    append(writer.out());
    writer.out().push_back(Literal(kEventEnd));
    return;
  }
  std::vector<net::Piece> object;
  append(object);
  writer.out().push_back(Owned(EventToProtobuf(TypeOf(head), object.front().bytes)));
}

void WatchSource::SendObject(std::string_view head, const store::ObjectPtr& object,
                             Writer& writer) {
  Send(head, writer,
       [&](std::vector<net::Piece>& out) { plan_.form.Append(object, !columns_sent_, out); });
  columns_sent_ = true;
}

void WatchSource::SendUnselected(const store::ObjectPtr& object, store::Version version,
                                 Writer& writer) {
  const net::Piece whole = WholeObject(plan_.form.kind(), object);
  const std::string_view digits =
      api::RawMember(api::RawMember(whole.bytes, "metadata"), "resourceVersion");
  if (plan_.form.form() != Form::kPlain || plan_.form.protobuf() || digits.empty()) {
    return SendObject(kDeleted, AtVersion(*object, version), writer);
  }
  const auto at = static_cast<size_t>(digits.data() - whole.bytes.data());
  writer.out().push_back(Literal(kDeleted));
  writer.out().push_back({whole.owner, whole.bytes.substr(0, at)});
  writer.out().push_back(Owned(fmt::format("\"{}\"", version)));
  writer.out().push_back({whole.owner, whole.bytes.substr(at + digits.size())});
  writer.out().push_back(Literal(kEventEnd));
}

void WatchSource::SendBookmark(store::Version version, bool initial_end, Writer& writer) {
  Send(kBookmark, writer,
       [&](std::vector<net::Piece>& out) { plan_.form.AppendBookmark(version, initial_end, out); });
}

void WatchSource::SendExpired(Writer& writer) {
  const api::scheme::ApiError error =
      api::scheme::Expired(fmt::format("too old resource version: {}", cursor_->position()));
  Send(kError, writer, [&](std::vector<net::Piece>& out) {
    std::string status = api::scheme::ToStatusJson(error);
    out.push_back(Owned(plan_.form.protobuf() ? ToProtobuf(status) : std::move(status)));
  });
}

void WatchSource::ScheduleWake(Instant now) {
  std::optional<Instant> due = ends_at_;
  if (plan_.bookmarks) due = std::min(bookmark_at_, due.value_or(bookmark_at_));
  // One timer at a time is enough: when it fires, the next one is scheduled.
  if (!due || (wakes_at_ > now && wakes_at_ <= *due)) return;
  // Rounded up, so that the bookmark is due when the timer fires.
  exchange_->WakeAfter(std::chrono::milliseconds((*due - now) / Duration::Millis(1) + 1));
  wakes_at_ = *due;
}

}  // namespace berth::apiserver
