// What a TLS server shows and whom it trusts.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"

namespace boost::asio::ssl {
class context;
}

namespace berth::net {

// Certificates and keys are PEM. Data goes before a file of the same.
struct ServerTlsOptions {
  std::string cert_file;  // The server's own, with those between it and its authority.
  std::string cert_data;
  std::string key_file;
  std::string key_data;
  // If given, a client may show a certificate, which must then be signed by one of these.
  std::string client_ca_file;
  std::string client_ca_data;

  bool has_client_ca() const { return !client_ca_file.empty() || !client_ca_data.empty(); }
};

// Immutable; servers may share it. TLS 1.2 and later, HTTP/2 and HTTP/1.1 by ALPN.
class ServerTls {
 public:
  // Reads the files; the error names the one that is wrong.
  static Result<std::shared_ptr<ServerTls>> Create(const ServerTlsOptions& options);
  ~ServerTls();

  boost::asio::ssl::context& context() const { return *context_; }
  bool verifies_clients() const { return verifies_clients_; }

 private:
  ServerTls();

  std::unique_ptr<boost::asio::ssl::context> context_;
  bool verifies_clients_ = false;
};

}  // namespace berth::net
