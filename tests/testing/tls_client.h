// TlsClient is a RawClient with TLS around it.
#pragma once

#include <memory>
#include <string>

#include "testing/raw_client.h"
#include "testing/test_certificates.h"

struct ssl_st;

namespace berth {

struct TlsClientOptions {
  std::string authority;  // That must have signed the server's certificate, for localhost.
  Certificate own;        // Shown to the server, if there is one.
  std::string protocols;  // As ALPN writes them: "\x02h2".
  bool only_tls_1_1 = false;
};

class TlsClient final : public RawClient {
 public:
  TlsClient(uint16_t port, const TlsClientOptions& options);
  ~TlsClient() override;

  // Why the handshake failed; empty if it did not.
  const std::string& problem() const { return problem_; }
  // What ALPN has chosen.
  std::string protocol() const;

 private:
  ssize_t SendSome(std::string_view bytes) override;
  ssize_t ReceiveSome(std::span<char> into) override;

  std::unique_ptr<ssl_st, void (*)(ssl_st*)> session_;
  std::string problem_;
};

}  // namespace berth
