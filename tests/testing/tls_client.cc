#include "testing/tls_client.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <csignal>

#include "testing/require.h"

namespace berth {

namespace {

using Bio = std::unique_ptr<BIO, int (*)(BIO*)>;

Bio Reader(const std::string& text) {
  return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free};
}

void Trust(SSL_CTX* context, const std::string& authority) {
  const Bio bio = Reader(authority);
  X509* const certificate = PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr);
  Require(certificate != nullptr, "the authority is not a PEM certificate");
  X509_STORE_add_cert(SSL_CTX_get_cert_store(context), certificate);
  X509_free(certificate);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
}

void Show(SSL_CTX* context, const Certificate& own) {
  const Bio certificate_text = Reader(own.certificate);
  X509* const certificate = PEM_read_bio_X509(certificate_text.get(), nullptr, nullptr, nullptr);
  const Bio key_text = Reader(own.key);
  EVP_PKEY* const key = PEM_read_bio_PrivateKey(key_text.get(), nullptr, nullptr, nullptr);
  Require(SSL_CTX_use_certificate(context, certificate) == 1, "invalid client certificate");
  Require(SSL_CTX_use_PrivateKey(context, key) == 1,
          "the key does not match the client certificate");
  X509_free(certificate);
  EVP_PKEY_free(key);
}

}  // namespace

TlsClient::TlsClient(uint16_t port, const TlsClientOptions& options)
    : RawClient(port), session_(nullptr, SSL_free) {
  // OpenSSL writes to sockets that the server may have closed.
  std::signal(SIGPIPE, SIG_IGN);
  SSL_CTX* const context = SSL_CTX_new(TLS_client_method());
  if (!options.authority.empty()) Trust(context, options.authority);
  if (!options.own.key.empty()) Show(context, options.own);
  if (options.only_tls_1_1) SSL_CTX_set_max_proto_version(context, TLS1_1_VERSION);
  session_.reset(SSL_new(context));
  SSL_CTX_free(context);
  SSL_set1_host(session_.get(), "localhost");
  SSL_set_tlsext_host_name(session_.get(), "localhost");
  if (!options.protocols.empty()) {
    SSL_set_alpn_protos(session_.get(),
                        reinterpret_cast<const unsigned char*>(options.protocols.data()),
                        static_cast<unsigned>(options.protocols.size()));
  }
  SSL_set_fd(session_.get(), socket());
  ERR_clear_error();
  if (SSL_connect(session_.get()) == 1) return;
  const char* const reason = ERR_reason_error_string(ERR_peek_error());
  problem_ = reason != nullptr ? reason : "the handshake failed";
}

TlsClient::~TlsClient() = default;

std::string TlsClient::protocol() const {
  const unsigned char* name = nullptr;
  unsigned size = 0;
  SSL_get0_alpn_selected(session_.get(), &name, &size);
  return {reinterpret_cast<const char*>(name), size};
}

ssize_t TlsClient::SendSome(std::string_view bytes) {
  return SSL_write(session_.get(), bytes.data(), static_cast<int>(bytes.size()));
}

ssize_t TlsClient::ReceiveSome(std::span<char> into) {
  const int size = SSL_read(session_.get(), into.data(), static_cast<int>(into.size()));
  if (size <= 0) errno = 0;
  return size;
}

}  // namespace berth
