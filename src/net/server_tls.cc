#include "net/server_tls.h"

#include <openssl/ssl.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/context.hpp>
#include <string_view>

#include "net/openssl_handles.h"
#include "net/server_certificates.h"

namespace berth::net {

namespace {

namespace ssl = boost::asio::ssl;

// In ALPN's encoding: each with its length. The first that the client supports is chosen.
constexpr std::string_view kProtocols = "\x02h2\x08http/1.1";
constexpr size_t kHttp2Size = 3;
// The bytes of a client's certificates. Anybody may send some; real chains have a few KB.
constexpr long kMaxClientChain = 32 << 10;

// `without_http2` is null if HTTP/2 is offered.
int ChooseProtocol(SSL*, const unsigned char** chosen, unsigned char* size,
                   const unsigned char* offered, unsigned offered_size, void* without_http2) {
  const std::string_view protocols =
      without_http2 == nullptr ? kProtocols : kProtocols.substr(kHttp2Size);
  unsigned char* found = nullptr;
  const int status =
      SSL_select_next_proto(&found, size, reinterpret_cast<const unsigned char*>(protocols.data()),
                            static_cast<unsigned>(protocols.size()), offered, offered_size);
  if (status != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_NOACK;
  *chosen = found;
  return SSL_TLSEXT_ERR_OK;
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

int VersionNumber(TlsVersion version) {
  switch (version) {
    case TlsVersion::k10:
      return TLS1_VERSION;
    case TlsVersion::k11:
      return TLS1_1_VERSION;
    case TlsVersion::k12:
      return TLS1_2_VERSION;
    case TlsVersion::k13:
      return TLS1_3_VERSION;
  }
  return TLS1_2_VERSION;
}

// Go has shorter names for two suites.
std::string FullName(std::string name) {
  if (name.ends_with("_CHACHA20_POLY1305")) name += "_SHA256";
  return name;
}

bool IsTls13Suite(std::string_view name) {
  return name.starts_with("TLS_AES_") || name == "TLS_CHACHA20_POLY1305_SHA256";
}

Status UseCipherSuites(SSL_CTX* context, const std::vector<std::string>& names) {
  if (names.empty()) return {};
  std::string list;
  for (const std::string& name : names) {
    if (IsTls13Suite(name)) continue;
    if (!IsCipherSuite(name)) return Fail("unknown cipher suite " + name);
    if (!list.empty()) list += ':';
    list += OPENSSL_cipher_name(FullName(name).c_str());
  }
  if (list.empty()) {
    SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
    return {};
  }
  if (SSL_CTX_set_cipher_list(context, list.c_str()) == 1) return {};
  return Fail("OpenSSL has none of the cipher suites " + list);
}

Status UseGroups(SSL_CTX* context, const std::vector<std::string>& groups) {
  if (groups.empty()) return {};
  std::string list;
  for (const std::string& group : groups) list += (list.empty() ? "" : ":") + group;
  if (SSL_CTX_set1_groups_list(context, list.c_str()) == 1) return {};
  return Fail("OpenSSL does not know all of the groups " + list);
}

Status UseChoices(SSL_CTX* context, const ServerTlsOptions& options) {
  SSL_CTX_set_min_proto_version(context, VersionNumber(options.min_version));
  // OpenSSL allows old versions only at security level 0.
  if (options.min_version < TlsVersion::k12) SSL_CTX_set_security_level(context, 0);
  if (auto status = UseCipherSuites(context, options.cipher_suites); !status) return status;
  return UseGroups(context, options.groups);
}

int ShowCertificate(SSL* session, void* tls) {
  return static_cast<const ServerTls*>(tls)->certificates()->Use(session) ? 1 : 0;
}

void AcceptAnyClientCertificate(SSL_CTX* context) {
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, [](int, X509_STORE_CTX*) { return 1; });
  // A resumed session does not contain the client's whole chain.
  SSL_CTX_set_options(context, SSL_OP_NO_TICKET);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

void SetDefaults(SSL_CTX* context) {
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                   SSL_OP_CIPHER_SERVER_PREFERENCE |
                                   // Many clients close without close_notify; HTTP detects
                                   // truncation.
                                   SSL_OP_IGNORE_UNEXPECTED_EOF);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_max_cert_list(context, kMaxClientChain);
  // Required to resume sessions with client certificates.
  constexpr std::string_view kName = "berth";
  SSL_CTX_set_session_id_context(context, reinterpret_cast<const unsigned char*>(kName.data()),
                                 kName.size());
}

}  // namespace

bool IsCipherSuite(const std::string& name) {
  return std::string_view(OPENSSL_cipher_name(FullName(name).c_str())) != "(NONE)";
}

ServerTls::ServerTls(ServerTlsOptions options)
    : options_(std::move(options)),
      context_(std::make_unique<ssl::context>(ssl::context::tls_server)) {}

ServerTls::~ServerTls() = default;

std::shared_ptr<const ServerCertificates> ServerTls::certificates() const {
  const std::lock_guard lock(mutex_);
  return certificates_;
}

Status ServerTls::Reload() {
  auto certificates = ServerCertificates::Load(options_);
  if (!certificates) return std::unexpected(certificates.error());
  const std::lock_guard lock(mutex_);
  certificates_ = *std::move(certificates);
  return {};
}

Result<std::shared_ptr<ServerTls>> ServerTls::Create(const ServerTlsOptions& options) {
  std::shared_ptr<ServerTls> tls(new ServerTls(options));
  SSL_CTX* const context = tls->context_->native_handle();
  SetDefaults(context);
  SSL_CTX_set_alpn_select_cb(context, ChooseProtocol, options.http2 ? nullptr : tls.get());
  if (auto status = UseChoices(context, options); !status) return std::unexpected(status.error());
  if (auto status = tls->Reload(); !status) return std::unexpected(status.error());
  SSL_CTX_set_cert_cb(context, ShowCertificate, tls.get());
  tls->verifies_clients_ = options.has_client_ca();
  if (tls->verifies_clients_) {
    if (auto status = UseClientAuthorities(*tls->context_, options); !status) {
      return std::unexpected(status.error());
    }
  } else if (options.any_client_certificate) {
    AcceptAnyClientCertificate(context);
  }
  return tls;
}

}  // namespace berth::net
