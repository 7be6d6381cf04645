// The certificates of a TLS server: ServerCertificates selects the one that a client gets, and
// ClientAuthorities verifies the certificates of clients. Both are immutable.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/server_tls.h"

typedef struct ssl_st SSL;
typedef struct x509_store_st X509_STORE;

namespace berth::net {

// ServerCertificates holds the default certificate and those for specific server names.
class ServerCertificates {
 public:
  // Reads the certificates. The error names the invalid file.
  static Result<std::shared_ptr<const ServerCertificates>> Load(const ServerTlsOptions& options);
  ~ServerCertificates();

  // Makes `session` use the certificate for the name that its client requests. Returns false if
  // OpenSSL fails.
  bool Use(SSL* session) const;

 private:
  struct Pair;
  ServerCertificates();
  const Pair& Choose(std::string_view name) const;

  std::vector<Pair> pairs_;  // The first is the server's default.
};

// The identity in a certificate.
struct CertificateSubject {
  std::string common_name;
  std::vector<std::string> organizations;
};

// ClientAuthorities verifies that a client certificate is signed by a trusted authority. Any
// thread.
class ClientAuthorities {
 public:
  // Parses one or more PEM certificates. `source` names them in the error.
  static Result<std::shared_ptr<const ClientAuthorities>> Parse(const std::string& pem,
                                                                const std::string& source);
  ~ClientAuthorities();
  ClientAuthorities(const ClientAuthorities&) = delete;
  ClientAuthorities& operator=(const ClientAuthorities&) = delete;

  // Verifies `certificates`, which are DER: the client's own first, then intermediates. The error
  // says why the client is not trusted.
  Result<CertificateSubject> Verify(const std::vector<std::string>& certificates) const;

 private:
  explicit ClientAuthorities(X509_STORE* store);
  X509_STORE* const store_;
};

}  // namespace berth::net
