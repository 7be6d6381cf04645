// What a TLS server shows, what it speaks and whom it trusts.
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

// A certificate for clients that ask for one of `names`: example.com, *.example.com. Without any,
// for those that it has itself.
struct NamedCertificate {
  std::string cert_file;
  std::string key_file;
  std::vector<std::string> names;
};

// Certificates and keys are PEM. Data goes before a file of the same.
struct ServerTlsOptions {
  std::string cert_file;  // The server's own, with those between it and its authority.
  std::string cert_data;
  std::string key_file;
  std::string key_data;
  // If given, a client may show a certificate, which must then be signed by one of these.
  std::string client_ca_file;
  std::string client_ca_data;
  // Instead of that: a client may show any certificate; see Peer::certificates.
  bool any_client_certificate = false;
  // Shown instead of the server's own to those who ask for their names.
  std::vector<NamedCertificate> named = {};
  TlsVersion min_version = TlsVersion::k12;
  // Of TLS 1.2 and older, by their IANA names; empty for OpenSSL's. With names of TLS 1.3 alone,
  // nothing older is spoken.
  std::vector<std::string> cipher_suites = {};
  std::vector<std::string> groups = {};  // For key exchange: "X25519", "P-256"; empty likewise.
  bool http2 = true;                     // Offered beside HTTP/1.1.

  bool has_client_ca() const { return !client_ca_file.empty() || !client_ca_data.empty(); }
};

// Whether OpenSSL has the cipher suite of that IANA name.
bool IsCipherSuite(const std::string& name);

// Servers may share it. By default TLS 1.2 and later, HTTP/2 and HTTP/1.1 by ALPN.
class ServerTls {
 public:
  // Reads the files; the error names the one that is wrong.
  static Result<std::shared_ptr<ServerTls>> Create(const ServerTlsOptions& options);
  ~ServerTls();

  // Reads the server's certificates again, for connections to come. The error changes nothing. Any
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
