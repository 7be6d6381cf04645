#include "net/server_tls.h"

#include <openssl/ssl.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/context.hpp>
#include <string_view>

#include "net/pem.h"

namespace berth::net {

namespace {

namespace ssl = boost::asio::ssl;

// As ALPN writes them: each behind its length. The first that the client knows, too, is taken.
constexpr std::string_view kProtocols = "\x02h2\x08http/1.1";

int ChooseProtocol(SSL*, const unsigned char** chosen, unsigned char* size,
                   const unsigned char* offered, unsigned offered_size, void*) {
  unsigned char* found = nullptr;
  const int status =
      SSL_select_next_proto(&found, size, reinterpret_cast<const unsigned char*>(kProtocols.data()),
                            kProtocols.size(), offered, offered_size);
  if (status != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_NOACK;
  *chosen = found;
  return SSL_TLSEXT_ERR_OK;
}

Status UseCertificate(ssl::context& context, const ServerTlsOptions& options) {
  const auto cert = ReadPem("cert", options.cert_data, options.cert_file);
  if (!cert) return std::unexpected(cert.error());
  const auto key = ReadPem("key", options.key_data, options.key_file);
  if (!key) return std::unexpected(key.error());
  if (cert->text.empty()) return Fail("TLS needs a certificate: " + cert->source + " is empty");
  if (key->text.empty()) return Fail("TLS needs a key: " + key->source + " is empty");
  boost::system::error_code error;
  context.use_certificate_chain(boost::asio::buffer(cert->text), error);
  if (auto status = CheckPem(error, *cert, "a PEM certificate"); !status) return status;
  context.use_private_key(boost::asio::buffer(key->text), ssl::context::pem, error);
  return CheckPem(error, *key, "the PEM key of the certificate");
}

Status UseClientAuthorities(ssl::context& context, const ServerTlsOptions& options) {
  const auto ca = ReadPem("clientCA", options.client_ca_data, options.client_ca_file);
  if (!ca) return std::unexpected(ca.error());
  boost::system::error_code error;
  context.add_certificate_authority(boost::asio::buffer(ca->text), error);
  if (auto status = CheckPem(error, *ca, "a PEM certificate"); !status) return status;
  context.set_verify_mode(ssl::verify_peer);
  return {};
}

void SetDefaults(SSL_CTX* context) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                   SSL_OP_CIPHER_SERVER_PREFERENCE |
                                   // Many clients close without a word; HTTP knows what is missing.
                                   SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_read_ahead(context, 1);
  // Needed for sessions to be resumed when clients show certificates.
  constexpr std::string_view kName = "berth";
  SSL_CTX_set_session_id_context(context, reinterpret_cast<const unsigned char*>(kName.data()),
                                 kName.size());
  SSL_CTX_set_alpn_select_cb(context, ChooseProtocol, nullptr);
}

}  // namespace

ServerTls::ServerTls() : context_(std::make_unique<ssl::context>(ssl::context::tls_server)) {}

ServerTls::~ServerTls() = default;

Result<std::shared_ptr<ServerTls>> ServerTls::Create(const ServerTlsOptions& options) {
  const std::shared_ptr<ServerTls> tls(new ServerTls());
  SetDefaults(tls->context_->native_handle());
  if (auto status = UseCertificate(*tls->context_, options); !status) {
    return std::unexpected(status.error());
  }
  tls->verifies_clients_ = options.has_client_ca();
  if (tls->verifies_clients_) {
    if (auto status = UseClientAuthorities(*tls->context_, options); !status) {
      return std::unexpected(status.error());
    }
  }
  return tls;
}

}  // namespace berth::net
