// What a TLS client trusts and shows.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"

namespace boost::asio::ssl {
class context;
}

namespace berth::net {

// Certificates and keys are PEM. Data goes before a file of the same.
struct TlsOptions {
  bool insecure = false;    // Takes any certificate of the server.
  std::string server_name;  // To expect in the certificate, if it is not the URL's host.
  std::string ca_file;      // Without any, the system's authorities are trusted.
  std::string ca_data;
  // Shown to servers that ask; used if both certificate and key are given.
  std::string cert_file;
  std::string cert_data;
  std::string key_file;
  std::string key_data;

  bool has_ca() const { return !ca_file.empty() || !ca_data.empty(); }
};

// A client context for TLS 1.2 and later. Reads the files; the error names the one that is wrong.
Result<std::shared_ptr<boost::asio::ssl::context>> MakeTlsContext(const TlsOptions& options);

// TlsSource gives the context for the next connection: files are read again when they have changed,
// as certificates are replaced while programs run.
class TlsSource {
 public:
  // Reads the files; the error names the one that is wrong.
  static Result<TlsSource> Create(TlsOptions options);

  // Files that are wrong by now change nothing.
  std::shared_ptr<boost::asio::ssl::context> Current();
  const TlsOptions& options() const { return options_; }

 private:
  TlsSource(TlsOptions options, std::shared_ptr<boost::asio::ssl::context> context,
            std::string stamps);

  TlsOptions options_;
  std::shared_ptr<boost::asio::ssl::context> context_;
  std::string stamps_;  // Of the files as they were when they were read last.
};

}  // namespace berth::net
