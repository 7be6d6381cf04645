// The functions that nghttp2 calls on behalf of an Http2ServerSession.

#include <nghttp2/nghttp2.h>

#include "base/check.h"
#include "net/http2_fields.h"
#include "net/http2_server_session.h"

namespace berth::net {

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
  if (frame->hd.type != NGHTTP2_HEADERS) return 0;
  Http2Stream* const stream = Owner(owner).Find(frame->hd.stream_id);
  if (stream == nullptr) return 0;
  const bool bearable =
      Owner(owner).AddHeader(*stream, TextOf(name, name_size), TextOf(value, value_size));
  return bearable ? 0 : NGHTTP2_ERR_CALLBACK_FAILURE;
}

int Http2ServerSession::Callbacks::OnFrame(nghttp2_session*, const nghttp2_frame* frame,
                                           void* owner) {
  if (frame->hd.type != NGHTTP2_HEADERS && frame->hd.type != NGHTTP2_DATA) return 0;
  Http2Stream* const stream = Owner(owner).Find(frame->hd.stream_id);
  if (stream == nullptr) return 0;
  const bool ends = HasFlag(frame, NGHTTP2_FLAG_END_STREAM);
  if (stream->phase == Http2Stream::Phase::kHead) Owner(owner).EndHead(*stream, !ends);
  if (ends) Owner(owner).EndRequest(*stream);
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
