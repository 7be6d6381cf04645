// ServerCertificates is what a TLS server may show: its own certificate, and others for clients
// that ask for certain names. Immutable.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/server_tls.h"

typedef struct ssl_st SSL;

namespace berth::net {

class ServerCertificates {
 public:
  // The error names the file that is wrong.
  static Result<std::shared_ptr<const ServerCertificates>> Load(const ServerTlsOptions& options);
  ~ServerCertificates();

  // Makes `session` show the certificate for the name that its client asks for. False if OpenSSL
  // refuses.
  bool Use(SSL* session) const;

 private:
  struct Pair;
  ServerCertificates();
  const Pair& Choose(std::string_view name) const;

  std::vector<Pair> pairs_;  // The first is the server's own.
};

}  // namespace berth::net

// ClientAuthorities tells whether a client's certificate was signed by somebody who is trusted to
// say who clients are. Immutable; any thread.
typedef struct x509_store_st X509_STORE;

namespace berth::net {

// Whom a certificate is for.
struct CertificateSubject {
  std::string common_name;
  std::vector<std::string> organizations;
};

class ClientAuthorities {
 public:
  // One or more PEM certificates. `source` names them in the error.
  static Result<std::shared_ptr<const ClientAuthorities>> Parse(const std::string& pem,
                                                                const std::string& source);
  ~ClientAuthorities();
  ClientAuthorities(const ClientAuthorities&) = delete;
  ClientAuthorities& operator=(const ClientAuthorities&) = delete;

  // `certificates` are DER: the client's own first, then those between it and its authority. The
  // error says why it does not count.
  Result<CertificateSubject> Verify(const std::vector<std::string>& certificates) const;

 private:
  explicit ClientAuthorities(X509_STORE* store);
  X509_STORE* const store_;
};

}  // namespace berth::net
