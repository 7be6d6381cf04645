// HttpConnection is one connection of HttpClient: it carries one request at a time to one server,
// and opens itself for the first.
//
// Lives on the loop's thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "net/http_client.h"
#include "net/url.h"

namespace boost::asio {
class io_context;
namespace ssl {
class context;
}
}  // namespace boost::asio

namespace berth::net {

struct HttpRequest {
  Url url;
  std::vector<HttpHeader> headers;
  std::string body;
};

class HttpConnection {
 public:
  // How a request ended. `reusable`: the connection can carry another.
  using Done = std::function<void(Result<HttpResponse>, bool reusable)>;

  virtual ~HttpConnection() = default;

  // Posts `request`; `done` is called once, never from within, unless Close comes first. One at a
  // time.
  virtual void Post(HttpRequest request, Done done) = 0;

  // Waits for the next request: calls `on_lost` when the server closes the connection or `limit`
  // has passed, unless Post or Close comes first.
  virtual void Rest(Duration limit, std::function<void()> on_lost) = 0;

  // Asked while it rests: false if the server has closed it, or has said something unasked.
  virtual bool StillGood() = 0;

  // Ends everything; nobody is called back.
  virtual void Close() = 0;
};

// For requests to servers of `origin`'s scheme, host and port. `server_name` replaces the host in
// the check of the certificate, unless it is empty. `tls` and `context` must outlive it.
std::shared_ptr<HttpConnection> MakeHttpConnection(boost::asio::io_context& context,
                                                   boost::asio::ssl::context& tls,
                                                   const Url& origin,
                                                   const std::string& server_name,
                                                   size_t max_body_bytes);

}  // namespace berth::net
