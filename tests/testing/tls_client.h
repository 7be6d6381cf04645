// TlsClient is a RawClient with TLS around it.
#pragma once

#include <memory>
#include <string>

#include "testing/raw_client.h"
#include "testing/test_certificates.h"

struct ssl_st;

namespace berth {

struct TlsClientOptions {
  std::string authority;  // The CA of the server's certificate, which is for localhost.
  Certificate own;        // The client certificate, if not empty.
  std::string protocols;  // In ALPN's format: "\x02h2".
  bool only_tls_1_1 = false;
};

class TlsClient final : public RawClient {
 public:
  TlsClient(uint16_t port, const TlsClientOptions& options);
  ~TlsClient() override;

  // The error of the handshake; empty if it succeeded.
  const std::string& problem() const { return problem_; }
  // The protocol selected by ALPN.
  std::string protocol() const;

 private:
  ssize_t SendSome(std::string_view bytes) override;
  ssize_t ReceiveSome(std::span<char> into) override;

  std::unique_ptr<ssl_st, void (*)(ssl_st*)> session_;
  std::string problem_;
};

}  // namespace berth
