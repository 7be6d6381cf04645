// Between nghttp2's C functions and Http2Session. For http2_session.cc and http2_callbacks.cc only.
#pragma once

#include <nghttp2/nghttp2.h>

#include "net/http2_session.h"

namespace berth::net {

struct Http2Session::Callbacks {
  // A server session that calls `owner`.
  static nghttp2_session* MakeSession(Http2Session* owner);
  // Where nghttp2 gets the body of the answer on `stream`.
  static nghttp2_data_provider BodyOf(Http2Stream& stream);

 private:
  static int OnBeginHeaders(nghttp2_session*, const nghttp2_frame* frame, void* owner);
  static int OnHeader(nghttp2_session*, const nghttp2_frame* frame, const uint8_t* name,
                      size_t name_size, const uint8_t* value, size_t value_size, uint8_t flags,
                      void* owner);
  static int OnFrame(nghttp2_session*, const nghttp2_frame* frame, void* owner);
  static int OnFrameSent(nghttp2_session*, const nghttp2_frame* frame, void* owner);
  static int OnData(nghttp2_session*, uint8_t flags, int32_t id, const uint8_t* data, size_t size,
                    void* owner);
  static int OnStreamClose(nghttp2_session*, int32_t id, uint32_t code, void* owner);
  static ssize_t ReadBody(nghttp2_session*, int32_t id, uint8_t* buffer, size_t size,
                          uint32_t* flags, nghttp2_data_source* source, void* owner);
  static int SendData(nghttp2_session*, nghttp2_frame* frame, const uint8_t* head, size_t size,
                      nghttp2_data_source* source, void* owner);
};

}  // namespace berth::net
