// ClientResponse is where the answer to a request goes: into one HttpResponse, or on as it comes.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "net/client_connection.h"
#include "net/client_session.h"
#include "net/http_client.h"
#include "net/tls.h"

namespace berth::net {

class ClientResponse : public ResponseSink {
 public:
  virtual ~ClientResponse() = default;
  // Once, last: calls the caller back. Puts the name of the request before errors.
  virtual void End(HttpResult<void> result) = 0;
};

struct BufferedResponseOptions {
  std::string name;  // Of the request: "GET https://h:443/x".
  size_t max_body_bytes = 0;
  bool gzip = false;  // Unpacks what the server has packed.
};

std::unique_ptr<ClientResponse> MakeBufferedResponse(BufferedResponseOptions options,
                                                     HttpClient::Callback callback);
std::unique_ptr<ClientResponse> MakeStreamedResponse(std::string name, ResponseStream stream);

// ConnectionPool is what an HttpClient has under way, and its connections. It chooses the
// connection of each request: one with capacity, else a new one, else the request waits.
//
// On the loop's thread. Handlers hold it weakly: it goes with the client, after a last Close.
// One request, from Send to its callback.
struct ClientExchange {
  HttpClient::RequestId id = 0;
  std::shared_ptr<const WireRequest> request;
  Duration timeout;
  std::unique_ptr<ClientResponse> answer;
  std::string origin;
  int tries = 0;  // How often the server has refused it.
  std::optional<boost::asio::steady_timer> timer;
  std::shared_ptr<ClientConnection> connection;  // Null while it waits for one.
};

class ConnectionPool final : public ConnectionOwner,
                             public std::enable_shared_from_this<ConnectionPool> {
 public:
  using RequestId = HttpClient::RequestId;

  ConnectionPool(boost::asio::io_context& context, TlsSource tls, HttpClientOptions options);

  boost::asio::io_context& context() { return context_; }

  void Begin(ClientExchange exchange);
  void Cancel(RequestId id);
  void UseTls(TlsSource tls);
  void Close();

 private:
  struct Host {
    std::vector<std::shared_ptr<ClientConnection>> connections;  // The one used last is last.
    std::set<RequestId> waiting;                                 // For a connection, oldest first.
    bool http1 = false;  // The server has chosen HTTP/1.1 before.
  };

  void OnCapacity(ClientConnection& connection) override;
  void OnEnded(ClientConnection& connection, std::vector<EndedRequest> ended) override;
  void OnLost(ClientConnection& connection, const HttpError& why) override;

  void LimitTime(ClientExchange& exchange);
  // Gives connections to as many of those waiting as may have one.
  void ServeWaiting(Host& host);
  std::shared_ptr<ClientConnection> FindConnection(Host& host);
  // Opens one more, if there may be one and those that are being opened are too few.
  void OpenMore(Host& host);
  static void CloseOpening(Host& host);
  // Idle ones, beyond those that are to be kept.
  void CloseSurplus(Host& host);
  void Abandon(RequestId id, HttpError error);
  ClientExchange Take(RequestId id);

  boost::asio::io_context& context_;
  TlsSource tls_;
  const HttpClientOptions options_;
  bool closed_ = false;
  std::map<RequestId, ClientExchange> under_way_;
  std::map<std::string, Host> hosts_;  // By origin.
};

}  // namespace berth::net
