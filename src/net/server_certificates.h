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
