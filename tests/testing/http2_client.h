// Http2Client speaks HTTP/2 over a RawClient, and lets tests look at what a server does with it.
//
// It blocks: waiting for something reads from the socket until that has come.
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
  uint32_t error = 0;  // Of the stream's end: 0 is a good one.
};

class Http2Client {
 public:
  // `window`: how many bytes the server may send on a stream; it is opened further by OpenWindow
  // only. Without it, windows open as bytes come.
  explicit Http2Client(RawClient& client, std::optional<uint32_t> window = std::nullopt);
  ~Http2Client();

  // Sends a request, and returns its stream. Without `body` it ends with the headers; the body
  // is sent as far as the server's window lets it.
  int32_t Send(const std::string& method, const std::string& path,
               std::vector<net::HttpHeader> headers = {},
               std::optional<std::string> body = std::nullopt);
  // Leaves the request open: the server waits for a body.
  int32_t SendHead(const std::string& method, const std::string& path);
  void Reset(int32_t stream);
  void OpenWindow(int32_t stream, int32_t bytes);
  void Ping();

  const Http2Response& answer(int32_t stream) { return answers_[stream]; }
  // Waits for the end of the stream's answer.
  const Http2Response& Finish(int32_t stream);
  // Reads until `done`, or the server's end; true if it is done.
  bool WaitUntil(const std::function<bool()>& done);

  bool got_goaway() const { return goaway_.has_value(); }
  uint32_t goaway_error() const { return goaway_.value_or(0); }
  int pongs() const { return pongs_; }
  uint32_t max_concurrent_streams() const;
  // Sends what is due, so that the next Send does not have to.
  void Flush();

 private:
  struct Callbacks;

  RawClient& client_;
  std::unique_ptr<nghttp2_session, void (*)(nghttp2_session*)> session_;
  std::map<int32_t, Http2Response> answers_;
  std::map<int32_t, std::string> bodies_;  // Of requests: what is still to be sent.
  std::optional<uint32_t> goaway_;
  int pongs_ = 0;
};

}  // namespace berth
