#include "testing/test_certificates.h"

#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <string_view>

#include "net/openssl_handles.h"
#include "testing/require.h"

namespace berth {

namespace {

using net::Bio;
using net::Cert;
using net::Key;

constexpr long kMinute = 60;
constexpr long kHour = 60 * kMinute;

std::string TextOf(const Bio& bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<size_t>(size)};
}

Bio Reader(std::string_view text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

void AddExtension(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  Require(extension != nullptr, "invalid certificate extension");
  Require(X509_add_ext(certificate, extension, -1) == 1, "X509_add_ext failed");
  X509_EXTENSION_free(extension);
}

// A certificate without extensions and signature, for `key`.
Cert Begin(const std::string& name, EVP_PKEY* key, bool expired) {
  static long serial = 0;
  Cert certificate(X509_new());
  X509_set_version(certificate.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -kHour);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), expired ? -kMinute : 24 * kHour);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate.get()), "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  return certificate;
}

Certificate Finish(X509* certificate, EVP_PKEY* key, EVP_PKEY* signer) {
  Require(X509_sign(certificate, signer, EVP_sha256()) > 0, "X509_sign failed");
  const Bio certificate_text(BIO_new(BIO_s_mem()));
  Require(PEM_write_bio_X509(certificate_text.get(), certificate) == 1,
          "PEM_write_bio_X509 failed");
  const Bio key_text(BIO_new(BIO_s_mem()));
  Require(PEM_write_bio_PrivateKey(key_text.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1,
          "PEM_write_bio_PrivateKey failed");
  return {TextOf(certificate_text), TextOf(key_text)};
}

}  // namespace

Certificate MakeAuthority(const std::string& name) {
  const Key key(EVP_EC_gen("P-256"));
  const Cert certificate = Begin(name, key.get(), false);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate.get()));
  AddExtension(certificate.get(), certificate.get(), NID_basic_constraints, "critical,CA:TRUE");
  AddExtension(certificate.get(), certificate.get(), NID_subject_key_identifier, "hash");
  return Finish(certificate.get(), key.get(), key.get());
}

Certificate MakeCertificate(const Certificate& authority, const std::string& name,
                            const std::string& alternatives, bool expired) {
  const Bio issuer_text = Reader(authority.certificate);
  const Cert issuer(PEM_read_bio_X509(issuer_text.get(), nullptr, nullptr, nullptr));
  const Bio signer_text = Reader(authority.key);
  const Key signer(PEM_read_bio_PrivateKey(signer_text.get(), nullptr, nullptr, nullptr));
  Require(issuer && signer, "the authority is not a PEM certificate and key");

  const Key key(EVP_EC_gen("P-256"));
  const Cert certificate = Begin(name, key.get(), expired);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(issuer.get()));
  AddExtension(certificate.get(), issuer.get(), NID_subject_alt_name, alternatives);
  return Finish(certificate.get(), key.get(), signer.get());
}

}  // namespace berth
