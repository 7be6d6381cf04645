// The TLS configuration of a server: its certificates, protocol versions, cipher suites and trusted
// clients.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace boost::asio::ssl {
class context;
}

namespace berth::net {

class ServerCertificates;

enum class TlsVersion { k10, k11, k12, k13 };

// A certificate for clients that request one of `names`: example.com, *.example.com. Without names,
// those in the certificate apply.
struct NamedCertificate {
  std::string cert_file;
  std::string key_file;
  std::vector<std::string> names;
};

// Certificates and keys are PEM. Data takes precedence over a file.
struct ServerTlsOptions {
  std::string cert_file;  // The server's default certificate, followed by intermediates.
  std::string cert_data;
  std::string key_file;
  std::string key_data;
  // If set, a client may present a certificate, which must be signed by one of these.
  std::string client_ca_file;
  std::string client_ca_data;
  // Alternatively, a client may present any certificate; see Peer::certificates.
  bool any_client_certificate = false;
  // Used instead of the default for clients that request their names.
  std::vector<NamedCertificate> named = {};
  TlsVersion min_version = TlsVersion::k12;
  // For TLS 1.2 and older, by IANA names; empty means OpenSSL's defaults. With only TLS 1.3 names,
  // older versions are disabled.
  std::vector<std::string> cipher_suites = {};
  std::vector<std::string> groups =
      {};             // For key exchange: "X25519", "P-256"; empty means OpenSSL's defaults.
  bool http2 = true;  // Offered besides HTTP/1.1.

  bool has_client_ca() const { return !client_ca_file.empty() || !client_ca_data.empty(); }
};

// Reports whether OpenSSL supports the cipher suite of that IANA name.
bool IsCipherSuite(const std::string& name);

// ServerTls is a loaded TLS configuration. Servers may share it. By default it has TLS 1.2 and
// later, and HTTP/2 and HTTP/1.1 by ALPN.
class ServerTls {
 public:
  // Reads the files. The error names the invalid one.
  static Result<std::shared_ptr<ServerTls>> Create(const ServerTlsOptions& options);
  ~ServerTls();

  // Reads the server's certificates again, for new connections. On error nothing changes. Any
  // thread.
  Status Reload();

  boost::asio::ssl::context& context() const { return *context_; }
  bool verifies_clients() const { return verifies_clients_; }
  bool any_client_certificate() const { return options_.any_client_certificate; }
  std::shared_ptr<const ServerCertificates> certificates() const;

 private:
  explicit ServerTls(ServerTlsOptions options);

  const ServerTlsOptions options_;
  std::unique_ptr<boost::asio::ssl::context> context_;
  bool verifies_clients_ = false;
  mutable std::mutex mutex_;
  std::shared_ptr<const ServerCertificates> certificates_;
};

}  // namespace berth::net
