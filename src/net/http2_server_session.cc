#include "net/http2_server_session.h"

#include <fmt/format.h>
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/check.h"
#include "net/http2_fields.h"
#include "net/server_session.h"

namespace berth::net {

void Http2Stream::SetBody(std::vector<Piece> pieces, std::unique_ptr<BodySource> source) {
  for (Piece& piece : pieces) {
    if (piece.bytes.empty()) continue;
    ready_ += piece.bytes.size();
    pieces_.push_back(std::move(piece));
  }
  source_ = std::move(source);
  source_ready_ = source_ != nullptr;
}

size_t Http2Stream::Prepare(size_t limit) {
  if (ready_ == 0 && source_ready_) {
    std::vector<Piece> read;
    const BodySource::State state = source_->Read(limit, read);
    for (Piece& piece : read) {
      if (piece.bytes.empty()) continue;
      ready_ += piece.bytes.size();
      pieces_.push_back(std::move(piece));
    }
    source_ready_ = state == BodySource::State::kMore && ready_ > 0;
    if (state == BodySource::State::kEnd) source_.reset();
  }
  return std::min(ready_, limit);
}

void Http2Stream::Take(size_t size, Outgoing& out) {
  CHECK(size <= ready_);
  ready_ -= size;
  while (size > 0) {
    Piece& piece = pieces_.front();
    const size_t taken = std::min(size, piece.bytes.size());
    size -= taken;
    if (taken == piece.bytes.size()) {
      out.Share(std::move(piece));
      pieces_.pop_front();
    } else {
      out.Share({piece.owner, piece.bytes.substr(0, taken)});
      piece.bytes.remove_prefix(taken);
    }
  }
}

namespace {

constexpr uint32_t kMaxStreams = 250;
constexpr uint32_t kServerStreamWindow = 256 << 10;
constexpr int32_t kServerConnectionWindow = 1 << 20;
// Limits the control frames queued for a peer that does not read.
constexpr size_t kMaxQueuedFrames = 2000;
// Limits the incomplete requests of a connection, in requests of the maximum size.
constexpr size_t kMaxBufferedRequests = 8;
// Longer headers, in the maximum size, end the connection: decompressing them costs more than they
// weigh on the network.
constexpr size_t kMaxHeaderExcess = 4;

}  // namespace

Http2ServerSession::Http2ServerSession(const ServerOptions& options, SessionHost& host,
                                       SteadyTime now)
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
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kServerStreamWindow},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, max_headers},
  }};
  nghttp2_submit_settings(session_.get(), NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(session_.get(), NGHTTP2_FLAG_NONE, 0,
                                        kServerConnectionWindow);
}

Http2ServerSession::~Http2ServerSession() = default;

Http2Stream* Http2ServerSession::Find(RequestNumber number) {
  const auto found = streams_.find(static_cast<int32_t>(number));
  return found == streams_.end() ? nullptr : found->second.get();
}

size_t Http2ServerSession::Receive(std::string_view bytes, SteadyTime now) {
  if (bytes.empty() || failed_) return 0;
  // A peer that sends requests without reading responses waits until it reads, or is disconnected.
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
    ++handled_;
    host_.Handle(id, std::move(stream->request));
  }
  return static_cast<size_t>(used);
}

void Http2ServerSession::BeginStream(int32_t id) {
  streams_.emplace(id, std::make_unique<Http2Stream>(id, now_));
  CheckAt(now_ + options_.header_timeout);
}

bool Http2ServerSession::AddHeader(Http2Stream& stream, std::string_view name,
                                   std::string_view value) {
  stream.header_bytes += name.size() + value.size() + kHttp2HeaderOverhead;
  if (stream.header_bytes > kMaxHeaderExcess * options_.max_header_bytes) return false;
  // Trailers are not headers: a proxy that checks headers does not see them.
  if (stream.phase != Http2Stream::Phase::kHead) return true;
  if (stream.header_bytes > options_.max_header_bytes) return true;
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
  return true;
}

void Http2ServerSession::EndHead(Http2Stream& stream, bool body_follows) {
  stream.phase = Http2Stream::Phase::kBody;
  stream.since = now_;
  CheckAt(now_ + options_.body_timeout);
  stream.head_only = stream.request.method == "HEAD";
  if (stream.header_bytes > options_.max_header_bytes) {
    return Refuse(stream, 431,
                  fmt::format("the headers are longer than {} bytes", options_.max_header_bytes));
  }
  if (!body_follows) return;
  if (!Buffer(stream, stream.header_bytes)) {
    return Refuse(stream, 429, "too many incomplete requests on this connection");
  }
  if (auto refusal = host_.Admit(stream.request)) return Refuse(stream, *std::move(refusal));
  const std::string_view length = stream.request.header("content-length");
  size_t size = 0;
  // nghttp2 has checked that this is a number, and checks the length of the body.
  std::from_chars(length.data(), length.data() + length.size(), size);
  if (size > options_.max_body_bytes) {
    return Refuse(stream, 413,
                  fmt::format("the body is longer than {} bytes", options_.max_body_bytes));
  }
  if (EqualIgnoringCase(stream.request.header("expect"), "100-continue")) {
    const nghttp2_nv status = Http2Field(":status", "100");
    nghttp2_submit_headers(session_.get(), NGHTTP2_FLAG_NONE, stream.id, nullptr, &status, 1,
                           nullptr);
  }
}

bool Http2ServerSession::Buffer(Http2Stream& stream, size_t bytes) {
  stream.buffered += bytes;
  buffered_ += bytes;
  return buffered_ <= kMaxBufferedRequests * (options_.max_header_bytes + options_.max_body_bytes);
}

void Http2ServerSession::Unbuffer(Http2Stream& stream) {
  buffered_ -= std::exchange(stream.buffered, 0);
}

void Http2ServerSession::AddBody(Http2Stream& stream, std::string_view bytes) {
  if (stream.refused || bytes.empty()) return;
  ServerRequest& request = stream.request;
  if (request.body.size() + bytes.size() > options_.max_body_bytes) {
    return Refuse(stream, 413,
                  fmt::format("the body is longer than {} bytes", options_.max_body_bytes));
  }
  if (!Buffer(stream, bytes.size())) {
    return Refuse(stream, 429, "too many incomplete requests on this connection");
  }
  if (request.body_share == nullptr) {
    request.body_share = std::make_shared<BodyShare>(host_.body_budget());
  }
  if (!request.body_share->Grow(bytes.size())) {
    return Refuse(stream, 429, std::string(kTooManyBodies));
  }
  request.body.append(bytes);
}

void Http2ServerSession::EndRequest(Http2Stream& stream) {
  if (stream.refused) return;
  Unbuffer(stream);
  stream.phase = Http2Stream::Phase::kHandling;
  complete_.push_back(stream.id);
}

void Http2ServerSession::EndStream(int32_t id) {
  Http2Stream* const stream = Find(id);
  if (stream == nullptr) return;
  Unbuffer(*stream);
  if (stream->streams) --streamed_;
  // Removed from the map first: destructors of the stream's parts may access the map.
  const auto node = streams_.extract(id);
  if (streams_.empty()) idle_since_ = now_;
  if (stream->phase != Http2Stream::Phase::kHandling || std::erase(complete_, id) > 0) return;
  --handled_;
  host_.Abandoned(id);
}

void Http2ServerSession::Refuse(Http2Stream& stream, int status, const std::string& text) {
  Refuse(stream, ServerResponse::Text(status, "text/plain; charset=utf-8", text + "\n"));
}

void Http2ServerSession::Refuse(Http2Stream& stream, ServerResponse response) {
  Unbuffer(stream);
  stream.request = {};
  stream.refused = true;
  Submit(stream, {std::move(response), nullptr});
}

void Http2ServerSession::Deliver(RequestNumber number, Outcome outcome, SteadyTime now) {
  now_ = now;
  Http2Stream* const stream = Find(number);
  if (stream == nullptr || stream->phase != Http2Stream::Phase::kHandling) return;
  --handled_;
  Submit(*stream, std::move(outcome));
}

void Http2ServerSession::Submit(Http2Stream& stream, Outcome outcome) {
  stream.phase = Http2Stream::Phase::kResponding;
  stream.since = now_;
  ServerResponse& response = outcome.response;
  const bool may_have_body = MayHaveBody(response.status);
  const fmt::format_int status(response.status);
  const fmt::format_int length(BodySize(response));
  std::vector<nghttp2_nv> fields;
  fields.reserve(response.headers.size() + 3);
  fields.push_back(Http2Field(":status", {status.data(), status.size()}));
  for (HttpHeader& header : response.headers) {
    if (!IsSendable(header)) continue;
    LowerCase(header.name);
    fields.push_back(Http2Field(header.name, header.value));
  }
  fields.push_back(Http2Field("date", HttpDate()));
  if (outcome.source == nullptr && may_have_body) {
    fields.push_back(Http2Field("content-length", {length.data(), length.size()}));
  }
  const bool with_body = may_have_body && !stream.head_only;
  stream.streams = with_body && outcome.source != nullptr;
  if (stream.streams) ++streamed_;
  if (with_body) stream.SetBody(std::move(response.body), std::move(outcome.source));
  if (stream.ready() > 0) CheckAt(now_ + options_.send_timeout);
  const bool empty = stream.ready() == 0 && stream.body_ended();
  const nghttp2_data_provider body = Callbacks::BodyOf(stream);
  if (nghttp2_submit_response(session_.get(), stream.id, fields.data(), fields.size(),
                              empty ? nullptr : &body) != 0) {
    Reset(stream.id, NGHTTP2_INTERNAL_ERROR);
  }
}

void Http2ServerSession::Reset(int32_t id, uint32_t code) {
  nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, id, code);
}

void Http2ServerSession::Wake(RequestNumber number) {
  Http2Stream* const stream = Find(number);
  if (stream == nullptr) return;
  stream->Wake();
  if (std::exchange(stream->deferred, false)) {
    nghttp2_session_resume_data(session_.get(), stream->id);
  }
}

void Http2ServerSession::Produce(Outgoing& out, SteadyTime now) {
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

bool Http2ServerSession::finished() const {
  if (failed_) return true;
  if (nghttp2_session_want_write(session_.get()) != 0) return false;
  return nghttp2_session_want_read(session_.get()) == 0 || (draining_ && streams_.empty());
}

std::optional<SteadyTime> Http2ServerSession::deadline() const {
  if (streams_.empty() && draining_) return std::nullopt;
  if (streams_.empty()) return idle_since_ + options_.idle_timeout;
  if (check_at_ == SteadyTime::max()) return std::nullopt;
  return check_at_;
}

void Http2ServerSession::CheckAt(SteadyTime time) { check_at_ = std::min(check_at_, time); }

std::optional<SteadyTime> Http2ServerSession::StreamDeadline(const Http2Stream& stream) const {
  switch (stream.phase) {
    case Http2Stream::Phase::kHead:
      return stream.since + options_.header_timeout;
    case Http2Stream::Phase::kBody:
      return stream.since + options_.body_timeout;
    case Http2Stream::Phase::kResponding:
      if (stream.ready() > 0 || stream.refused) return stream.since + options_.send_timeout;
      return std::nullopt;
    case Http2Stream::Phase::kHandling:
      return std::nullopt;
  }
  return std::nullopt;
}

void Http2ServerSession::Expire(SteadyTime now) {
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

void Http2ServerSession::ExpireStream(Http2Stream& stream) {
  switch (stream.phase) {
    case Http2Stream::Phase::kHead:
      // No other stream can continue before these headers end.
      nghttp2_session_terminate_session(session_.get(), NGHTTP2_ENHANCE_YOUR_CALM);
      return;
    case Http2Stream::Phase::kBody:
      return Refuse(stream, 408, "the body took too long");
    default:
      return Reset(stream.id, NGHTTP2_CANCEL);
  }
}

void Http2ServerSession::Drain() {
  if (std::exchange(draining_, true)) return;
  nghttp2_submit_goaway(session_.get(), NGHTTP2_FLAG_NONE,
                        nghttp2_session_get_last_proc_stream_id(session_.get()), NGHTTP2_NO_ERROR,
                        nullptr, 0);
}

}  // namespace berth::net
