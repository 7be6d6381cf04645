#include "net/server_certificates.h"

#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/context.hpp>

#include "net/http_message.h"
#include "net/pem.h"

namespace berth::net {
namespace {

namespace ssl = boost::asio::ssl;

Status UsePair(ssl::context& context, const Pem& cert, const Pem& key) {
  if (cert.text.empty()) return Fail("TLS needs a certificate: " + cert.source + " is empty");
  if (key.text.empty()) return Fail("TLS needs a key: " + key.source + " is empty");
  boost::system::error_code error;
  context.use_certificate_chain(boost::asio::buffer(cert.text), error);
  if (auto status = CheckPem(error, cert, "a PEM certificate"); !status) return status;
  context.use_private_key(boost::asio::buffer(key.text), ssl::context::pem, error);
  return CheckPem(error, key, "the PEM key of the certificate");
}

// The DNS names that `certificate` is for.
std::vector<std::string> NamesOf(const X509* certificate) {
  std::vector<std::string> names;
  auto* const alternatives = static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
  for (int i = 0; i < sk_GENERAL_NAME_num(alternatives); ++i) {
    const GENERAL_NAME* const name = sk_GENERAL_NAME_value(alternatives, i);
    if (name->type != GEN_DNS) continue;
    const unsigned char* const text = ASN1_STRING_get0_data(name->d.dNSName);
    names.emplace_back(reinterpret_cast<const char*>(text),
                       static_cast<size_t>(ASN1_STRING_length(name->d.dNSName)));
  }
  GENERAL_NAMES_free(alternatives);
  return names;
}

// "*.example.com" of "www.example.com".
std::string WildcardFor(std::string_view name) {
  const size_t dot = name.find('.');
  return dot == name.npos ? std::string() : "*" + std::string(name.substr(dot));
}

bool HasName(const std::vector<std::string>& names, std::string_view wanted) {
  return std::ranges::any_of(
      names, [&](const std::string& name) { return EqualIgnoringCase(name, wanted); });
}

}  // namespace

// The context holds certificate, chain and key.
struct ServerCertificates::Pair {
  std::unique_ptr<ssl::context> context = {};
  std::vector<std::string> given = {};  // Names that the user gave.
  std::vector<std::string> own = {};    // Names of the certificate, if the user gave none.

  static Result<Pair> Load(const NamedCertificate& files, const std::string& cert_data,
                           const std::string& key_data) {
    const auto cert = ReadPem("cert", cert_data, files.cert_file);
    if (!cert) return std::unexpected(cert.error());
    const auto key = ReadPem("key", key_data, files.key_file);
    if (!key) return std::unexpected(key.error());
    Pair pair;
    pair.context = std::make_unique<ssl::context>(ssl::context::tls_server);
    if (const auto status = UsePair(*pair.context, *cert, *key); !status) {
      return std::unexpected(status.error());
    }
    pair.given = files.names;
    if (pair.given.empty()) {
      pair.own = NamesOf(SSL_CTX_get0_certificate(pair.context->native_handle()));
    }
    return pair;
  }
};

ServerCertificates::ServerCertificates() = default;
ServerCertificates::~ServerCertificates() = default;

Result<std::shared_ptr<const ServerCertificates>> ServerCertificates::Load(
    const ServerTlsOptions& options) {
  const std::shared_ptr<ServerCertificates> certificates(new ServerCertificates());
  auto own =
      Pair::Load({options.cert_file, options.key_file, {}}, options.cert_data, options.key_data);
  if (!own) return std::unexpected(own.error());
  certificates->pairs_.push_back(*std::move(own));
  for (const NamedCertificate& named : options.named) {
    auto pair = Pair::Load(named, "", "");
    if (!pair) return Fail("failed to load SNI cert and key: " + pair.error().message);
    certificates->pairs_.push_back(*std::move(pair));
  }
  return certificates;
}

// Exact names go before wildcards, and names that the user gave before those of certificates.
const ServerCertificates::Pair& ServerCertificates::Choose(std::string_view name) const {
  if (!name.empty()) {
    for (const std::string& wanted : {std::string(name), WildcardFor(name)}) {
      if (wanted.empty()) continue;
      for (const auto names : {&Pair::given, &Pair::own}) {
        for (size_t i = 1; i < pairs_.size(); ++i) {
          if (HasName(pairs_[i].*names, wanted)) return pairs_[i];
        }
      }
    }
  }
  return pairs_.front();
}

bool ServerCertificates::Use(SSL* session) const {
  const char* const name = SSL_get_servername(session, TLSEXT_NAMETYPE_host_name);
  SSL_CTX* const chosen = Choose(name == nullptr ? "" : name).context->native_handle();
  STACK_OF(X509)* chain = nullptr;
  SSL_CTX_get0_chain_certs(chosen, &chain);
  return SSL_use_cert_and_key(session, SSL_CTX_get0_certificate(chosen),
                              SSL_CTX_get0_privatekey(chosen), chain, 1) == 1;
}

}  // namespace berth::net
