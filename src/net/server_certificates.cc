#include "net/server_certificates.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/context.hpp>

#include "base/check.h"
#include "net/http_message.h"
#include "net/openssl_handles.h"

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

// Returns the DNS names in `certificate`.
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

// Returns "*.example.com" for "www.example.com".
std::string WildcardFor(std::string_view name) {
  const size_t dot = name.find('.');
  return dot == name.npos ? std::string() : "*" + std::string(name.substr(dot));
}

bool HasName(const std::vector<std::string>& names, std::string_view wanted) {
  return std::ranges::any_of(
      names, [&](const std::string& name) { return EqualIgnoringCase(name, wanted); });
}

}  // namespace

// The context holds the certificate, the chain and the key.
struct ServerCertificates::Pair {
  std::unique_ptr<ssl::context> context = {};
  std::vector<std::string> given = {};  // Names from the options.
  std::vector<std::string> own = {};    // Names in the certificate, if the options have none.

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
  std::shared_ptr<ServerCertificates> certificates(new ServerCertificates());
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

// Exact names take precedence over wildcards, and configured names over those in certificates.
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
  // NOLINTNEXTLINE(bugprone-multi-level-implicit-pointer-conversion): inside the macro.
  SSL_CTX_get0_chain_certs(chosen, &chain);
  return SSL_use_cert_and_key(session, SSL_CTX_get0_certificate(chosen),
                              SSL_CTX_get0_privatekey(chosen), chain, 1) == 1;
}

namespace {

using StoreContext = std::unique_ptr<X509_STORE_CTX, OpensslFree<X509_STORE_CTX_free>>;

struct FreeStack {
  void operator()(STACK_OF(X509) * stack) const { sk_X509_pop_free(stack, X509_free); }
};
using Stack = std::unique_ptr<STACK_OF(X509), FreeStack>;

Cert ReadDer(const std::string& der) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(der.data());
  return Cert(d2i_X509(nullptr, &bytes, static_cast<long>(der.size())));
}

std::vector<std::string> Entries(const X509* certificate, int kind) {
  std::vector<std::string> found;
  const X509_NAME* const name = X509_get_subject_name(certificate);
  for (int at = X509_NAME_get_index_by_NID(name, kind, -1); at >= 0;
       at = X509_NAME_get_index_by_NID(name, kind, at)) {
    unsigned char* text = nullptr;
    const int size =
        ASN1_STRING_to_UTF8(&text, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at)));
    if (size < 0) continue;
    found.emplace_back(reinterpret_cast<const char*>(text), static_cast<size_t>(size));
    OPENSSL_free(text);
  }
  return found;
}

}  // namespace

ClientAuthorities::ClientAuthorities(X509_STORE* store) : store_(store) {}

ClientAuthorities::~ClientAuthorities() { X509_STORE_free(store_); }

Result<std::shared_ptr<const ClientAuthorities>> ClientAuthorities::Parse(
    const std::string& pem, const std::string& source) {
  X509_STORE* const store = X509_STORE_new();
  CHECK(store != nullptr);
  std::shared_ptr<const ClientAuthorities> authorities(new ClientAuthorities(store));
  // Listed certificates are trusted even if they are not self-signed.
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  int count = 0;
  while (const Cert certificate{PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr)}) {
    if (X509_STORE_add_cert(store, certificate.get()) == 1) ++count;
  }
  ERR_clear_error();
  if (count == 0) return Fail(source + " has no PEM certificate");
  return authorities;
}

Result<CertificateSubject> ClientAuthorities::Verify(
    const std::vector<std::string>& certificates) const {
  ERR_clear_error();
  if (certificates.empty()) return Fail("no certificate");
  const Cert own = ReadDer(certificates.front());
  const Stack others(sk_X509_new_null());
  const StoreContext context(X509_STORE_CTX_new());
  if (!own || !others || !context) return Fail("the certificate cannot be read");
  for (size_t i = 1; i < certificates.size(); ++i) {
    if (Cert other = ReadDer(certificates[i])) sk_X509_push(others.get(), other.release());
  }
  if (X509_STORE_CTX_init(context.get(), store_, own.get(), others.get()) != 1) {
    return Fail("the certificate cannot be verified");
  }
  X509_STORE_CTX_set_purpose(context.get(), X509_PURPOSE_SSL_CLIENT);
  if (X509_verify_cert(context.get()) != 1) {
    const int error = X509_STORE_CTX_get_error(context.get());
    return Fail(std::string("x509: ") + X509_verify_cert_error_string(error));
  }
  CertificateSubject subject;
  if (const auto names = Entries(own.get(), NID_commonName); !names.empty()) {
    subject.common_name = names.front();
  }
  subject.organizations = Entries(own.get(), NID_organizationName);
  return subject;
}

}  // namespace berth::net
