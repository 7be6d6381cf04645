#include "net/server_client_authorities.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>

#include "base/check.h"
#include "net/openssl_handles.h"

namespace berth::net {
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
  // Whoever is listed is trusted, be it by itself or by another.
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
