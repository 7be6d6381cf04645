#include "net/http2_session.h"

#include <fmt/format.h>
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/check.h"
#include "net/http2_callbacks.h"
#include "net/response_head.h"

namespace berth::net {

namespace {

constexpr uint32_t kMaxStreams = 250;
constexpr uint32_t kStreamWindow = 256 << 10;
constexpr int32_t kConnectionWindow = 1 << 20;
// Frames of nghttp2's own that may wait for a peer that does not read.
constexpr size_t kMaxQueuedFrames = 2000;
// All bodies under way on a connection, in bodies of the largest size.
constexpr size_t kMaxBufferedBodies = 8;
// As HTTP/2 counts a header, besides its name and value.
constexpr size_t kHeaderOverhead = 32;

nghttp2_nv Field(std::string_view name, std::string_view value) {
  // nghttp2 copies both.
  const auto bytes = [](std::string_view text) {
    return reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(), NGHTTP2_NV_FLAG_NONE};
}

void LowerCase(std::string& text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
}

}  // namespace

Http2Session::Http2Session(const ServerOptions& options, SessionHost& host, SteadyTime now)
    : options_(options),
      host_(host),
      session_(Callbacks::MakeSession(this), nghttp2_session_del),
      now_(now),
      idle_since_(now) {
  const auto max_headers =
      static_cast<uint32_t>(std::min<size_t>(options.max_header_bytes, 1 << 30));
  const std::array<nghttp2_settings_entry, 3> settings = {{
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS,
       options.max_http2_streams == 0 ? kMaxStreams : options.max_http2_streams},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindow},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, max_headers},
  }};
  nghttp2_submit_settings(session_.get(), NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(session_.get(), NGHTTP2_FLAG_NONE, 0, kConnectionWindow);
}

Http2Session::~Http2Session() = default;

Http2Stream* Http2Session::Find(RequestNumber number) {
  const auto found = streams_.find(static_cast<int32_t>(number));
  return found == streams_.end() ? nullptr : found->second.get();
}

size_t Http2Session::Receive(std::string_view bytes, SteadyTime now) {
  if (bytes.empty() || failed_) return 0;
  // A peer that asks and does not read waits until it does, or is cut off.
  if (nghttp2_session_get_outbound_queue_size(session_.get()) > kMaxQueuedFrames) return 0;
  now_ = now;
  const ssize_t used = nghttp2_session_mem_recv(
      session_.get(), reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  if (used < 0) {
    failed_ = true;
    return bytes.size();
  }
  for (const int32_t id : std::exchange(complete_, {})) {
    Http2Stream* const stream = Find(id);
    if (stream == nullptr) continue;
    stream->phase = Http2Stream::Phase::kHandling;
    host_.Handle(id, std::move(stream->request));
  }
  return static_cast<size_t>(used);
}

void Http2Session::BeginStream(int32_t id) {
  streams_.emplace(id, std::make_unique<Http2Stream>(id, now_));
  CheckAt(now_ + options_.header_timeout);
}

void Http2Session::AddHeader(Http2Stream& stream, std::string_view name, std::string_view value) {
  stream.header_bytes += name.size() + value.size() + kHeaderOverhead;
  if (stream.header_bytes > options_.max_header_bytes) return;
  ServerRequest& request = stream.request;
  if (name == ":method") {
    request.method = value;
  } else if (name == ":path") {
    request.target = value;
  } else if (name == ":authority") {
    request.headers.push_back({"host", std::string(value)});
  } else if (!name.starts_with(':')) {
    request.headers.push_back({std::string(name), std::string(value)});
  }
}

void Http2Session::EndHead(Http2Stream& stream) {
  stream.phase = Http2Stream::Phase::kBody;
  stream.since = now_;
  CheckAt(now_ + options_.body_timeout);
  stream.head_only = stream.request.method == "HEAD";
  if (stream.header_bytes > options_.max_header_bytes) {
    return Refuse(stream, 431,
                  fmt::format("the headers are longer than {} bytes", options_.max_header_bytes));
  }
  const std::string_view length = stream.request.header("content-length");
  size_t size = 0;
  // nghttp2 has checked that it is a number, and checks that the body is as long.
  std::from_chars(length.data(), length.data() + length.size(), size);
  if (size > options_.max_body_bytes) {
    return Refuse(stream, 413,
                  fmt::format("the body is longer than {} bytes", options_.max_body_bytes));
  }
  if (EqualIgnoringCase(stream.request.header("expect"), "100-continue")) {
    const nghttp2_nv status = Field(":status", "100");
    nghttp2_submit_headers(session_.get(), NGHTTP2_FLAG_NONE, stream.id, nullptr, &status, 1,
                           nullptr);
  }
}

void Http2Session::AddBody(Http2Stream& stream, std::string_view bytes) {
  if (stream.refused) return;
  stream.request.body.append(bytes);
  buffered_ += bytes.size();
  if (stream.request.body.size() > options_.max_body_bytes) {
    return Refuse(stream, 413,
                  fmt::format("the body is longer than {} bytes", options_.max_body_bytes));
  }
  if (buffered_ > kMaxBufferedBodies * options_.max_body_bytes) {
    Refuse(stream, 429, "too many bodies at once on this connection");
  }
}

void Http2Session::EndRequest(Http2Stream& stream) {
  if (stream.refused) return;
  buffered_ -= stream.request.body.size();
  stream.phase = Http2Stream::Phase::kHandling;
  complete_.push_back(stream.id);
}

void Http2Session::EndStream(int32_t id) {
  Http2Stream* const stream = Find(id);
  if (stream == nullptr) return;
  if (stream->phase == Http2Stream::Phase::kBody) buffered_ -= stream->request.body.size();
  // Out of the map first: what is destroyed with the stream may look here.
  const auto node = streams_.extract(id);
  if (streams_.empty()) idle_since_ = now_;
}

void Http2Session::Refuse(Http2Stream& stream, int status, const std::string& text) {
  buffered_ -= stream.request.body.size();
  stream.request.body.clear();
  stream.refused = true;
  Submit(stream, {ServerAnswer::Text(status, "text/plain; charset=utf-8", text + "\n"), nullptr});
}

void Http2Session::Deliver(RequestNumber number, Outcome outcome, SteadyTime now) {
  now_ = now;
  Http2Stream* const stream = Find(number);
  if (stream == nullptr || stream->phase != Http2Stream::Phase::kHandling) return;
  Submit(*stream, std::move(outcome));
}

void Http2Session::Submit(Http2Stream& stream, Outcome outcome) {
  stream.phase = Http2Stream::Phase::kAnswering;
  stream.since = now_;
  ServerAnswer& answer = outcome.answer;
  const bool may_have_body = MayHaveBody(answer.status);
  const fmt::format_int status(answer.status);
  const fmt::format_int length(BodySize(answer));
  std::vector<nghttp2_nv> fields;
  fields.reserve(answer.headers.size() + 3);
  fields.push_back(Field(":status", {status.data(), status.size()}));
  for (HttpHeader& header : answer.headers) {
    if (!IsSendable(header)) continue;
    LowerCase(header.name);
    fields.push_back(Field(header.name, header.value));
  }
  fields.push_back(Field("date", HttpDate()));
  if (outcome.source == nullptr && may_have_body) {
    fields.push_back(Field("content-length", {length.data(), length.size()}));
  }
  const bool with_body = may_have_body && !stream.head_only;
  if (with_body) stream.SetBody(std::move(answer.body), std::move(outcome.source));
  if (stream.ready() > 0) CheckAt(now_ + options_.send_timeout);
  const bool empty = stream.ready() == 0 && stream.body_ended();
  const nghttp2_data_provider body = Callbacks::BodyOf(stream);
  if (nghttp2_submit_response(session_.get(), stream.id, fields.data(), fields.size(),
                              empty ? nullptr : &body) != 0) {
    Reset(stream.id, NGHTTP2_INTERNAL_ERROR);
  }
}

void Http2Session::Reset(int32_t id, uint32_t code) {
  nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, id, code);
}

void Http2Session::Wake(RequestNumber number) {
  Http2Stream* const stream = Find(number);
  if (stream == nullptr) return;
  stream->Wake();
  if (std::exchange(stream->deferred, false)) {
    nghttp2_session_resume_data(session_.get(), stream->id);
  }
}

void Http2Session::Produce(Outgoing& out, SteadyTime now) {
  if (failed_) return;
  now_ = now;
  out_ = &out;
  while (out.size() < kBatchBytes) {
    const uint8_t* bytes = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session_.get(), &bytes);
    if (size < 0) failed_ = true;
    if (size <= 0) break;
    out.Copy({reinterpret_cast<const char*>(bytes), static_cast<size_t>(size)});
  }
  out_ = nullptr;
}

bool Http2Session::finished() const {
  if (failed_) return true;
  if (nghttp2_session_want_write(session_.get()) != 0) return false;
  return nghttp2_session_want_read(session_.get()) == 0 || (draining_ && streams_.empty());
}

std::optional<SteadyTime> Http2Session::deadline() const {
  if (streams_.empty() && draining_) return std::nullopt;
  if (streams_.empty()) return idle_since_ + options_.idle_timeout;
  if (check_at_ == SteadyTime::max()) return std::nullopt;
  return check_at_;
}

void Http2Session::CheckAt(SteadyTime time) { check_at_ = std::min(check_at_, time); }

std::optional<SteadyTime> Http2Session::StreamDeadline(const Http2Stream& stream) const {
  switch (stream.phase) {
    case Http2Stream::Phase::kHead:
      return stream.since + options_.header_timeout;
    case Http2Stream::Phase::kBody:
      return stream.since + options_.body_timeout;
    case Http2Stream::Phase::kAnswering:
      if (stream.ready() > 0 || stream.refused) return stream.since + options_.send_timeout;
      return std::nullopt;
    case Http2Stream::Phase::kHandling:
      return std::nullopt;
  }
  return std::nullopt;
}

void Http2Session::Expire(SteadyTime now) {
  now_ = now;
  if (streams_.empty()) {
    if (now >= idle_since_ + options_.idle_timeout) Drain();
    return;
  }
  if (now < check_at_) return;
  check_at_ = SteadyTime::max();
  std::vector<Http2Stream*> expired;
  for (const auto& [id, stream] : streams_) {
    const auto limit = StreamDeadline(*stream);
    if (limit && *limit <= now) {
      expired.push_back(stream.get());
    } else if (limit) {
      CheckAt(*limit);
    }
  }
  for (Http2Stream* const stream : expired) ExpireStream(*stream);
}

void Http2Session::ExpireStream(Http2Stream& stream) {
  switch (stream.phase) {
    case Http2Stream::Phase::kHead:
      // No other stream can go on before its headers end.
      nghttp2_session_terminate_session(session_.get(), NGHTTP2_ENHANCE_YOUR_CALM);
      return;
    case Http2Stream::Phase::kBody:
      return Refuse(stream, 408, "the body took too long");
    default:
      return Reset(stream.id, NGHTTP2_CANCEL);
  }
}

void Http2Session::Drain() {
  if (std::exchange(draining_, true)) return;
  nghttp2_submit_goaway(session_.get(), NGHTTP2_FLAG_NONE,
                        nghttp2_session_get_last_proc_stream_id(session_.get()), NGHTTP2_NO_ERROR,
                        nullptr, 0);
}

}  // namespace berth::net
