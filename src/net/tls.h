// The TLS configuration of a client: trusted authorities, and its own certificate.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"

namespace boost::asio::ssl {
class context;
}
struct ssl_st;  // OpenSSL's SSL.

namespace berth::net {

// Certificates and keys are PEM. Data takes precedence over a file.
struct TlsOptions {
  bool insecure = false;    // Accepts any server certificate.
  std::string server_name;  // Expected in the certificate, if it differs from the URL's host.
  std::string ca_file;      // Without any, the system's authorities are trusted.
  std::string ca_data;
  // Presented to servers that request one; used if both certificate and key are set.
  std::string cert_file;
  std::string cert_data;
  std::string key_file;
  std::string key_data;

  bool has_ca() const { return !ca_file.empty() || !ca_data.empty(); }
};

// Creates a client context for TLS 1.2 and later. Reads the files; the error names the invalid one.
Result<std::shared_ptr<boost::asio::ssl::context>> MakeTlsContext(const TlsOptions& options);

// Makes the handshake of a client request `name`, a host or an address, and verify that the
// certificate is valid for it, unless the context verifies none.
void ExpectServer(ssl_st* session, const std::string& name);

// TlsSource provides the context for the next connection: it reads the files again when they have
// changed, because certificates rotate while programs run.
class TlsSource {
 public:
  // Reads the files. The error names the invalid one.
  static Result<TlsSource> Create(TlsOptions options);

  // Returns the current context. Changed files that are invalid are ignored.
  std::shared_ptr<boost::asio::ssl::context> Current();
  const TlsOptions& options() const { return options_; }

 private:
  TlsSource(TlsOptions options, std::shared_ptr<boost::asio::ssl::context> context,
            std::string stamps);

  TlsOptions options_;
  std::shared_ptr<boost::asio::ssl::context> context_;
  std::string stamps_;  // Of the files when they were last read.
};

}  // namespace berth::net
