// Http2Client sends HTTP/2 requests over a RawClient, for tests of the server.
//
// It blocks: a wait reads from the socket until its condition is true.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/http_message.h"
#include "testing/raw_client.h"

struct nghttp2_session;

namespace berth {

struct Http2Response {
  int status = 0;
  std::vector<net::HttpHeader> headers;
  std::string body;
  bool closed = false;
  uint32_t error = 0;  // The code with which the stream was closed; 0 is success.
};

class Http2Client {
 public:
  // `window` is the number of bytes that the server may send on a stream before OpenWindow is
  // called. Without it, windows are updated automatically.
  explicit Http2Client(RawClient& client, std::optional<uint32_t> window = std::nullopt);
  ~Http2Client();

  // Sends a request and returns its stream. The body is sent as far as the server's window allows.
  int32_t Send(const std::string& method, const std::string& path,
               std::vector<net::HttpHeader> headers = {},
               std::optional<std::string> body = std::nullopt);
  // Sends a request without its body, for which the server waits.
  int32_t SendHead(const std::string& method, const std::string& path);
  void Reset(int32_t stream);
  void OpenWindow(int32_t stream, int32_t bytes);
  void Ping();

  const Http2Response& answer(int32_t stream) { return answers_[stream]; }
  // Waits for the end of the stream's response.
  const Http2Response& Finish(int32_t stream);
  // Reads until `done` is true or the server closes the connection; returns whether it is done.
  bool WaitUntil(const std::function<bool()>& done);

  bool got_goaway() const { return goaway_.has_value(); }
  uint32_t goaway_error() const { return goaway_.value_or(0); }
  int pongs() const { return pongs_; }
  uint32_t max_concurrent_streams() const;
  // Sends the pending frames.
  void Flush();

 private:
  struct Callbacks;

  RawClient& client_;
  std::unique_ptr<nghttp2_session, void (*)(nghttp2_session*)> session_;
  std::map<int32_t, Http2Response> answers_;
  std::map<int32_t, std::string> bodies_;  // Request bodies that are not sent yet.
  std::optional<uint32_t> goaway_;
  int pongs_ = 0;
};

}  // namespace berth
