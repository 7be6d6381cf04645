#include "net/own_certificate.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <array>
#include <boost/asio/ip/address.hpp>
#include <memory>

namespace berth::net {
namespace {

template <auto kFree>
struct Freer {
  void operator()(auto* object) const { kFree(object); }
};
using Bio = std::unique_ptr<BIO, Freer<BIO_free_all>>;
using Key = std::unique_ptr<EVP_PKEY, Freer<EVP_PKEY_free>>;
using Cert = std::unique_ptr<X509, Freer<X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Freer<X509_EXTENSION_free>>;

constexpr long kHour = 3600;

std::string TextOf(const Bio& bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<size_t>(size)};
}

bool AddExtension(X509* certificate, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  return extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1;
}

// Certificates of one name must differ in their number, or browsers refuse the second.
bool SetRandomSerial(X509* certificate) {
  std::array<unsigned char, 8> bytes;
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) return false;
  uint64_t serial = 0;
  for (const unsigned char byte : bytes) serial = serial << 8 | byte;
  return ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1 | 1) == 1;
}

// "DNS:localhost,IP:127.0.0.1".
std::string AlternativeNames(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    boost::system::error_code error;
    boost::asio::ip::make_address(name, error);
    text += (text.empty() ? "" : ",") + std::string(error ? "DNS:" : "IP:") + name;
  }
  return text;
}

bool Fill(X509* certificate, EVP_PKEY* key, const std::vector<std::string>& names) {
  X509_set_version(certificate, X509_VERSION_3);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -kHour);
  X509_gmtime_adj(X509_getm_notAfter(certificate), 365 * 24 * kHour);
  X509_NAME* subject = X509_get_subject_name(certificate);
  const auto* name = reinterpret_cast<const unsigned char*>("berth");
  return SetRandomSerial(certificate) && X509_set_pubkey(certificate, key) == 1 &&
         X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, name, -1, -1, 0) == 1 &&
         X509_set_issuer_name(certificate, subject) == 1 &&
         AddExtension(certificate, NID_basic_constraints, "critical,CA:TRUE") &&
         AddExtension(certificate, NID_ext_key_usage, "serverAuth") &&
         AddExtension(certificate, NID_subject_alt_name, AlternativeNames(names)) &&
         X509_sign(certificate, key, EVP_sha256()) > 0;
}

}  // namespace

Result<OwnCertificate> MakeOwnCertificate(const std::vector<std::string>& names) {
  const Key key(EVP_EC_gen("P-256"));
  const Cert certificate(X509_new());
  const Bio certificate_text(BIO_new(BIO_s_mem()));
  const Bio key_text(BIO_new(BIO_s_mem()));
  if (!key || !certificate || !certificate_text || !key_text ||
      !Fill(certificate.get(), key.get(), names) ||
      PEM_write_bio_X509(certificate_text.get(), certificate.get()) != 1 ||
      PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr) !=
          1) {
    return Fail("cannot make a certificate for this server");
  }
  return OwnCertificate{TextOf(certificate_text), TextOf(key_text)};
}

}  // namespace berth::net
