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
// Limits the incomplete request bodies of a connection, in bodies of the maximum size.
constexpr size_t kMaxBufferedBodies = 8;

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
    stream->phase = Http2Stream::Phase::kHandling;
    host_.Handle(id, std::move(stream->request));
  }
  return static_cast<size_t>(used);
}

void Http2ServerSession::BeginStream(int32_t id) {
  streams_.emplace(id, std::make_unique<Http2Stream>(id, now_));
  CheckAt(now_ + options_.header_timeout);
}

void Http2ServerSession::AddHeader(Http2Stream& stream, std::string_view name,
                                   std::string_view value) {
  stream.header_bytes += name.size() + value.size() + kHttp2HeaderOverhead;
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

void Http2ServerSession::EndHead(Http2Stream& stream) {
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

void Http2ServerSession::AddBody(Http2Stream& stream, std::string_view bytes) {
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

void Http2ServerSession::EndRequest(Http2Stream& stream) {
  if (stream.refused) return;
  buffered_ -= stream.request.body.size();
  stream.phase = Http2Stream::Phase::kHandling;
  complete_.push_back(stream.id);
}

void Http2ServerSession::EndStream(int32_t id) {
  Http2Stream* const stream = Find(id);
  if (stream == nullptr) return;
  if (stream->phase == Http2Stream::Phase::kBody) buffered_ -= stream->request.body.size();
  // Removed from the map first: destructors of the stream's parts may access the map.
  const auto node = streams_.extract(id);
  if (streams_.empty()) idle_since_ = now_;
}

void Http2ServerSession::Refuse(Http2Stream& stream, int status, const std::string& text) {
  buffered_ -= stream.request.body.size();
  stream.request.body.clear();
  stream.refused = true;
  Submit(stream, {ServerResponse::Text(status, "text/plain; charset=utf-8", text + "\n"), nullptr});
}

void Http2ServerSession::Deliver(RequestNumber number, Outcome outcome, SteadyTime now) {
  now_ = now;
  Http2Stream* const stream = Find(number);
  if (stream == nullptr || stream->phase != Http2Stream::Phase::kHandling) return;
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

namespace {

// Stream resets by the peer: the burst, then the rate per second. More is an attack.
constexpr uint64_t kResetBurst = 500;
constexpr uint64_t kResetRate = 50;

Http2ServerSession& Owner(void* owner) { return *static_cast<Http2ServerSession*>(owner); }

}  // namespace

nghttp2_session* Http2ServerSession::Callbacks::MakeSession(Http2ServerSession* owner) {
  nghttp2_session_callbacks* callbacks = nullptr;
  CHECK(nghttp2_session_callbacks_new(&callbacks) == 0);
  nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, OnBeginHeaders);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, OnHeader);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, OnFrame);
  nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, OnFrameSent);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, OnData);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, OnStreamClose);
  nghttp2_session_callbacks_set_send_data_callback(callbacks, SendData);
  nghttp2_option* option = nullptr;
  CHECK(nghttp2_option_new(&option) == 0);
  nghttp2_option_set_no_closed_streams(option, 1);
  nghttp2_option_set_stream_reset_rate_limit(option, kResetBurst, kResetRate);
  nghttp2_session* session = nullptr;
  CHECK(nghttp2_session_server_new2(&session, callbacks, owner, option) == 0);
  nghttp2_option_del(option);
  nghttp2_session_callbacks_del(callbacks);
  return session;
}

nghttp2_data_provider Http2ServerSession::Callbacks::BodyOf(Http2Stream& stream) {
  nghttp2_data_provider provider{};
  provider.source.ptr = &stream;
  provider.read_callback = ReadBody;
  return provider;
}

int Http2ServerSession::Callbacks::OnBeginHeaders(nghttp2_session*, const nghttp2_frame* frame,
                                                  void* owner) {
  if (frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST) {
    Owner(owner).BeginStream(frame->hd.stream_id);
  }
  return 0;
}

int Http2ServerSession::Callbacks::OnHeader(nghttp2_session*, const nghttp2_frame* frame,
                                            const uint8_t* name, size_t name_size,
                                            const uint8_t* value, size_t value_size, uint8_t,
                                            void* owner) {
  // Trailers are not headers: a proxy that checks headers does not see them.
  if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
  if (Http2Stream* const stream = Owner(owner).Find(frame->hd.stream_id)) {
    Owner(owner).AddHeader(*stream, TextOf(name, name_size), TextOf(value, value_size));
  }
  return 0;
}

int Http2ServerSession::Callbacks::OnFrame(nghttp2_session*, const nghttp2_frame* frame,
                                           void* owner) {
  if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) return 0;
  Http2Stream* const stream = Owner(owner).Find(frame->hd.stream_id);
  if (stream == nullptr) return 0;
  if (stream->phase == Http2Stream::Phase::kHead) Owner(owner).EndHead(*stream);
  if (HasFlag(frame, NGHTTP2_FLAG_END_STREAM)) Owner(owner).EndRequest(*stream);
  return 0;
}

int Http2ServerSession::Callbacks::OnFrameSent(nghttp2_session* session, const nghttp2_frame* frame,
                                               void* owner) {
  if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) return 0;
  if (!HasFlag(frame, NGHTTP2_FLAG_END_STREAM)) return 0;
  const int32_t id = frame->hd.stream_id;
  const Http2Stream* const stream = Owner(owner).Find(id);
  // The peer need not send the rest of a rejected request.
  if (stream != nullptr && stream->refused &&
      nghttp2_session_get_stream_remote_close(session, id) == 0) {
    Owner(owner).Reset(id, NGHTTP2_NO_ERROR);
  }
  return 0;
}

int Http2ServerSession::Callbacks::OnData(nghttp2_session*, uint8_t, int32_t id,
                                          const uint8_t* data, size_t size, void* owner) {
  if (Http2Stream* const stream = Owner(owner).Find(id)) {
    Owner(owner).AddBody(*stream, TextOf(data, size));
  }
  return 0;
}

int Http2ServerSession::Callbacks::OnStreamClose(nghttp2_session*, int32_t id, uint32_t,
                                                 void* owner) {
  Owner(owner).EndStream(id);
  return 0;
}

ssize_t Http2ServerSession::Callbacks::ReadBody(nghttp2_session*, int32_t, uint8_t*, size_t size,
                                                uint32_t* flags, nghttp2_data_source* source,
                                                void*) {
  Http2Stream& stream = *static_cast<Http2Stream*>(source->ptr);
  const size_t ready = stream.Prepare(size);
  if (ready == 0 && !stream.body_ended()) {
    stream.deferred = true;
    return NGHTTP2_ERR_DEFERRED;
  }
  if (ready == stream.ready() && stream.body_ended()) *flags |= NGHTTP2_DATA_FLAG_EOF;
  if (ready > 0) *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
  return static_cast<ssize_t>(ready);
}

int Http2ServerSession::Callbacks::SendData(nghttp2_session*, nghttp2_frame*, const uint8_t* head,
                                            size_t size, nghttp2_data_source* source, void* owner) {
  Http2ServerSession& session = Owner(owner);
  if (session.out_->size() >= kBatchBytes) return NGHTTP2_ERR_WOULDBLOCK;
  Http2Stream& stream = *static_cast<Http2Stream*>(source->ptr);
  session.out_->Copy(TextOf(head, kHttp2FrameHead));
  stream.Take(size, *session.out_);
  stream.since = session.now_;
  if (stream.ready() > 0) session.CheckAt(session.now_ + session.options_.send_timeout);
  return 0;
}

}  // namespace berth::net
