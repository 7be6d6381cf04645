// ConnectionPool holds the pending requests and the connections of an HttpClient. It assigns each
// request an open connection with capacity, or else opens one, or else queues the request.
//
// Runs on the loop's thread. Handlers hold it weakly: it is destroyed with the client, after a last
// Close.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <cstddef>
#include <functional>
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

// ClientResponse receives the response to a request: it collects it into one HttpResponse, or
// passes it on as it arrives.
class ClientResponse : public ResponseSink {
 public:
  virtual ~ClientResponse() = default;
  // Calls the user back; called once, last. Prefixes errors with the name of the request.
  virtual void End(HttpResult<void> result) = 0;
};

struct BufferedResponseOptions {
  std::string name;  // Of the request: "GET https://h:443/x".
  size_t max_body_bytes = 0;
  bool gzip = false;  // Decompresses the body.
};

std::unique_ptr<ClientResponse> MakeBufferedResponse(BufferedResponseOptions options,
                                                     HttpClient::Callback callback);

// One request, from Send to its callback.
struct ClientExchange {
  HttpClient::RequestId id = 0;
  std::shared_ptr<const WireRequest> request;
  Duration timeout;
  std::function<bool()> may_send;  // See ClientRequest.
  std::unique_ptr<ClientResponse> response;
  std::string origin;
  int tries = 0;  // How often the server has rejected the request unprocessed.
  std::optional<boost::asio::steady_timer> timer;
  std::shared_ptr<ClientConnection> connection;  // Null while the request is queued.
};

class ConnectionPool final : public ConnectionOwner,
                             public std::enable_shared_from_this<ConnectionPool> {
 public:
  using RequestId = HttpClient::RequestId;

  ConnectionPool(boost::asio::io_context& context, TlsSource tls, HttpClientOptions options);

  boost::asio::io_context& context() { return context_; }
  // Reports whether a ResponseStream is being called. That happens inside a session, so the pool
  // must not be called then.
  bool delivering() const { return delivering_; }
  // Returns the response object of a request of this pool.
  std::unique_ptr<ClientResponse> MakeStreamedResponse(std::string name, ResponseStream stream);

  void Begin(ClientExchange exchange);
  void Cancel(RequestId id);
  void UseTls(TlsSource tls);
  void Close();

 private:
  struct Host {
    std::vector<std::shared_ptr<ClientConnection>>
        connections;              // The most recently used one is last.
    std::set<RequestId> waiting;  // Queued for a connection, oldest first.
    bool http1 = false;           // The server has chosen HTTP/1.1 before.
  };

  void OnCapacity(ClientConnection& connection) override;
  void OnEnded(ClientConnection& connection, std::vector<EndedRequest> ended) override;
  void OnLost(ClientConnection& connection, const HttpError& why) override;

  void LimitTime(ClientExchange& exchange);
  // Assigns connections to queued requests, in order, while connections have capacity.
  void ServeWaiting(Host& host);
  // Ends a queued request that may not be sent.
  void Refuse(RequestId id);
  std::shared_ptr<ClientConnection> FindConnection(Host& host);
  // Opens more connections, within the limit, if too few are being opened.
  void OpenMore(Host& host);
  static void CloseOpening(Host& host);
  void Abandon(RequestId id, HttpError error);
  ClientExchange Take(RequestId id);

  boost::asio::io_context& context_;
  TlsSource tls_;
  const HttpClientOptions options_;
  bool closed_ = false;
  bool delivering_ = false;
  std::map<RequestId, ClientExchange> under_way_;
  std::map<std::string, Host> hosts_;  // By origin.
};

}  // namespace berth::net
