#include "net/http2_client_session.h"

#include <fmt/format.h>
#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/check.h"
#include "base/chrono.h"
#include "net/http2_fields.h"
#include "net/steady_time.h"

namespace berth::net {

namespace {

constexpr uint32_t kStreamWindow = 4 << 20;
constexpr int32_t kConnectionWindow = 16 << 20;
// Produce stops after about this many bytes of bodies.
constexpr size_t kBatchBytes = 256 << 10;
constexpr int kFirstFinalStatus = 200;

}  // namespace

// Stream is one request and its response.
struct Http2ClientSession::Stream {
  RequestId request = 0;
  int32_t id = 0;
  std::shared_ptr<const WireRequest> message;
  ResponseSink* sink = nullptr;
  size_t body_sent = 0;
  bool sent = false;  // The headers are queued or sent.
  int status = 0;
  std::vector<HttpHeader> headers;
  size_t header_bytes = 0;
  bool head_done = false;
};

struct Http2ClientSession::Callbacks {
  static Http2ClientSession& Owner(void* owner) { return *static_cast<Http2ClientSession*>(owner); }

  static nghttp2_session* MakeSession(Http2ClientSession* owner) {
    nghttp2_session_callbacks* callbacks = nullptr;
    CHECK(nghttp2_session_callbacks_new(&callbacks) == 0);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, OnHeader);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, OnFrame);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, OnFrameSent);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, OnData);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, OnStreamClose);
    nghttp2_session_callbacks_set_send_data_callback(callbacks, SendData);
    nghttp2_option* option = nullptr;
    CHECK(nghttp2_option_new(&option) == 0);
    nghttp2_option_set_no_closed_streams(option, 1);
    nghttp2_session* session = nullptr;
    CHECK(nghttp2_session_client_new2(&session, callbacks, owner, option) == 0);
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    return session;
  }

  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name,
                      size_t name_size, const uint8_t* value, size_t value_size, uint8_t,
                      void* owner) {
    if (frame->hd.type != NGHTTP2_HEADERS) return 0;
    Stream* const stream = Owner(owner).Find(frame->hd.stream_id);
    // Trailers are not headers.
    if (stream != nullptr && !stream->head_done) {
      Owner(owner).AddHeader(*stream, TextOf(name, name_size), TextOf(value, value_size));
    }
    return 0;
  }

  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* owner) {
    Http2ClientSession& session = Owner(owner);
    if (frame->hd.type == NGHTTP2_SETTINGS) session.settled_ = true;
    if (frame->hd.type == NGHTTP2_GOAWAY) session.draining_ = true;
    if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) return 0;
    const int32_t id = frame->hd.stream_id;
    Stream* stream = session.Find(id);
    if (stream != nullptr && frame->hd.type == NGHTTP2_HEADERS && !stream->head_done) {
      session.EndHead(*stream);
      stream = session.Find(id);
    }
    if (stream != nullptr && HasFlag(frame, NGHTTP2_FLAG_END_STREAM)) session.EndResponse(*stream);
    return 0;
  }

  static int OnFrameSent(nghttp2_session*, const nghttp2_frame* frame, void* owner) {
    if (frame->hd.type != NGHTTP2_HEADERS) return 0;
    if (Stream* const stream = Owner(owner).Find(frame->hd.stream_id)) stream->sent = true;
    return 0;
  }

  static int OnData(nghttp2_session*, uint8_t, int32_t id, const uint8_t* data, size_t size,
                    void* owner) {
    if (Stream* const stream = Owner(owner).Find(id)) {
      Owner(owner).AddData(*stream, TextOf(data, size));
    }
    return 0;
  }

  static int OnStreamClose(nghttp2_session*, int32_t id, uint32_t code, void* owner) {
    if (Stream* const stream = Owner(owner).Find(id)) Owner(owner).Closed(*stream, code);
    return 0;
  }

  static ssize_t ReadBody(nghttp2_session*, int32_t id, uint8_t*, size_t size, uint32_t* flags,
                          nghttp2_data_source*, void* owner) {
    const Stream* const stream = Owner(owner).Find(id);
    if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    const size_t left = stream->message->body.size() - stream->body_sent;
    *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    if (left <= size) *flags |= NGHTTP2_DATA_FLAG_EOF;
    return static_cast<ssize_t>(std::min(size, left));
  }

  static int SendData(nghttp2_session*, nghttp2_frame* frame, const uint8_t* head, size_t size,
                      nghttp2_data_source*, void* owner) {
    Outgoing& out = *Owner(owner).out_;
    if (out.size() >= kBatchBytes) return NGHTTP2_ERR_WOULDBLOCK;
    Stream* const stream = Owner(owner).Find(frame->hd.stream_id);
    if (stream == nullptr) return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    out.Copy(TextOf(head, kHttp2FrameHead));
    const std::string_view body = stream->message->body;
    out.Share({stream->message, body.substr(stream->body_sent, size)});
    stream->body_sent += size;
    return 0;
  }
};

Http2ClientSession::Http2ClientSession(Duration ping_after, Duration ping_timeout, SteadyTime now)
    : ping_after_(ping_after),
      ping_timeout_(ping_timeout),
      session_(Callbacks::MakeSession(this), nghttp2_session_del),
      last_received_(now) {
  const std::array<nghttp2_settings_entry, 3> settings = {{
      {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindow},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, kMaxResponseHeaderBytes},
  }};
  nghttp2_submit_settings(session_.get(), NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  nghttp2_session_set_local_window_size(session_.get(), NGHTTP2_FLAG_NONE, 0, kConnectionWindow);
}

Http2ClientSession::~Http2ClientSession() = default;

Http2ClientSession::Stream* Http2ClientSession::Find(int32_t id) {
  const auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : found->second.get();
}

size_t Http2ClientSession::capacity() const {
  if (!settled_ || draining_ || failed_) return 0;
  const size_t limit =
      nghttp2_session_get_remote_settings(session_.get(), NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
  return limit - std::min(limit, streams_.size());
}

bool Http2ClientSession::finished() const {
  if (failed_) return true;
  return draining_ && streams_.empty() && nghttp2_session_want_write(session_.get()) == 0;
}

void Http2ClientSession::Begin(RequestId id, std::shared_ptr<const WireRequest> request,
                               ResponseSink& sink, SteadyTime) {
  const std::string authority = request->url.authority();
  const fmt::format_int length(request->body.size());
  std::vector<std::string> names;
  names.reserve(request->headers.size());
  std::vector<nghttp2_nv> fields = {Http2Field(":method", request->method),
                                    Http2Field(":scheme", request->url.https ? "https" : "http"),
                                    Http2Field(":authority", authority),
                                    Http2Field(":path", request->url.target)};
  for (const HttpHeader& header : request->headers) {
    LowerCase(names.emplace_back(header.name));
    fields.push_back(Http2Field(names.back(), header.value));
  }
  if (request->has_length()) {
    fields.push_back(Http2Field("content-length", {length.data(), length.size()}));
  }
  nghttp2_data_provider body{};
  body.read_callback = Callbacks::ReadBody;
  const int32_t stream_id =
      nghttp2_submit_request(session_.get(), nullptr, fields.data(), fields.size(),
                             request->body.empty() ? nullptr : &body, nullptr);
  if (stream_id < 0) {
    // The stream ids of this connection, or the memory, are exhausted.
    draining_ = true;
    ended_.push_back({.id = id,
                      .result = std::unexpected(
                          HttpError{HttpError::Kind::kUnreachable, nghttp2_strerror(stream_id)}),
                      .again = true});
    return;
  }
  auto stream = std::make_unique<Stream>();
  stream->request = id;
  stream->id = stream_id;
  stream->message = std::move(request);
  stream->sink = &sink;
  streams_.emplace(stream_id, std::move(stream));
  stream_of_.emplace(id, stream_id);
}

void Http2ClientSession::Abandon(RequestId id) {
  const auto found = stream_of_.find(id);
  if (found == stream_of_.end()) return;
  const int32_t stream = found->second;
  stream_of_.erase(found);
  streams_.erase(stream);
  Reset(stream);
}

void Http2ClientSession::Reset(int32_t id) {
  nghttp2_submit_rst_stream(session_.get(), NGHTTP2_FLAG_NONE, id, NGHTTP2_CANCEL);
}

size_t Http2ClientSession::Receive(std::string_view bytes, SteadyTime now) {
  if (bytes.empty()) return 0;
  if (failed_) return bytes.size();
  // Any bytes show that the server is alive.
  last_received_ = now;
  pinged_at_.reset();
  const ssize_t used = nghttp2_session_mem_recv(
      session_.get(), reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  if (used < 0) Fail(BrokenRules());
  return bytes.size();
}

ConnectionLoss Http2ClientSession::BrokenRules() const {
  if (!settled_) {
    return {.kind = HttpError::Kind::kUnreachable, .text = "the server does not speak HTTP/2"};
  }
  return {.kind = HttpError::Kind::kBroken, .text = "the server broke the rules of HTTP/2"};
}

void Http2ClientSession::AddHeader(Stream& stream, std::string_view name, std::string_view value) {
  stream.header_bytes += name.size() + value.size() + kHttp2HeaderOverhead;
  if (stream.header_bytes > kMaxResponseHeaderBytes) {
    return Refuse(stream, fmt::format("the headers of the answer are longer than {} bytes",
                                      kMaxResponseHeaderBytes));
  }
  if (name == ":status") {
    // nghttp2 has checked that this is a number.
    std::from_chars(value.data(), value.data() + value.size(), stream.status);
  } else if (!name.starts_with(':')) {
    stream.headers.push_back({std::string(name), std::string(value)});
  }
}

void Http2ClientSession::EndHead(Stream& stream) {
  if (stream.status < kFirstFinalStatus) {
    // An informational response.
    stream.headers.clear();
    return;
  }
  stream.head_done = true;
  if (!stream.sink->Head(stream.status, std::move(stream.headers))) Refuse(stream, "");
}

void Http2ClientSession::AddData(Stream& stream, std::string_view bytes) {
  if (!stream.sink->Data(bytes)) Refuse(stream, "");
}

void Http2ClientSession::EndResponse(Stream& stream) {
  // The server may not need the rest of the request.
  const int32_t id = stream.id;
  const bool all_sent = nghttp2_session_get_stream_local_close(session_.get(), id) == 1;
  End(stream, {});
  if (!all_sent) Reset(id);
}

void Http2ClientSession::Closed(Stream& stream, uint32_t code) {
  const bool again = code == NGHTTP2_REFUSED_STREAM && !stream.head_done;
  End(stream,
      std::unexpected(
          again ? HttpError{HttpError::Kind::kUnreachable, "the server refused the request"}
                : HttpError{HttpError::Kind::kBroken,
                            fmt::format("the stream was reset: {}", nghttp2_http2_strerror(code))}),
      again);
}

void Http2ClientSession::Refuse(const Stream& stream, std::string problem) {
  const int32_t id = stream.id;
  End(stream, std::unexpected(HttpError{HttpError::Kind::kBroken, std::move(problem)}));
  Reset(id);
}

void Http2ClientSession::End(const Stream& stream, HttpResult<void> result, bool again) {
  ended_.push_back({.id = stream.request, .result = std::move(result), .again = again});
  stream_of_.erase(stream.request);
  streams_.erase(stream.id);
}

void Http2ClientSession::Fail(const ConnectionLoss& loss) {
  if (std::exchange(failed_, true)) return;
  problem_ = loss.text;
  while (!streams_.empty()) {
    const Stream& stream = *streams_.begin()->second;
    HttpError error = LossError(loss, stream.head_done);
    if (!stream.sent) error.kind = HttpError::Kind::kUnreachable;
    End(stream, std::unexpected(std::move(error)), !stream.sent);
  }
}

void Http2ClientSession::ReceiveEnd(const ConnectionLoss& loss) { Fail(loss); }

void Http2ClientSession::Produce(Outgoing& out) {
  if (failed_) return;
  out_ = &out;
  while (out.size() < kBatchBytes) {
    const uint8_t* bytes = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session_.get(), &bytes);
    if (size < 0) Fail({.text = nghttp2_strerror(static_cast<int>(size))});
    if (size <= 0) break;
    out.Copy(TextOf(bytes, static_cast<size_t>(size)));
  }
  out_ = nullptr;
  // nghttp2 reads no more after it has reported a protocol error to the server.
  if (nghttp2_session_want_read(session_.get()) == 0) Fail(BrokenRules());
}

std::vector<EndedRequest> Http2ClientSession::TakeEnded() { return std::exchange(ended_, {}); }

std::optional<SteadyTime> Http2ClientSession::deadline() const {
  if (streams_.empty() || failed_ || ping_after_ <= Duration()) return std::nullopt;
  if (pinged_at_) return *pinged_at_ + ToChrono(ping_timeout_);
  return last_received_ + ToChrono(ping_after_);
}

void Http2ClientSession::Expire(SteadyTime now) {
  const auto limit = deadline();
  if (!limit || now < *limit) return;
  if (pinged_at_) {
    return Fail(
        {.text = fmt::format("the server did not answer a ping within {}", ToText(ping_timeout_))});
  }
  pinged_at_ = now;
  nghttp2_submit_ping(session_.get(), NGHTTP2_FLAG_NONE, nullptr);
}

}  // namespace berth::net
