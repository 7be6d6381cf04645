#include "net/certificates.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <memory>

#include "net/openssl_handles.h"

namespace berth::net {

namespace {

using Number = std::unique_ptr<BIGNUM, OpensslFree<BN_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, OpensslFree<X509_EXTENSION_free>>;

constexpr long kHour = 3600;
constexpr int kValidDays = 3650;
constexpr int kSerialBits = 127;

// Returns the last error of OpenSSL.
std::unexpected<Error> OpenSslProblem(const char* what) {
  const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
  return Fail(fmt::format("{}: {}", what, reason != nullptr ? reason : "OpenSSL failed"));
}

std::string TextOf(const Bio& bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<size_t>(size)};
}

Bio Reader(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

bool AddName(X509_NAME* name, const char* field, const std::string& value) {
  return X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8,
                                    reinterpret_cast<const unsigned char*>(value.data()),
                                    static_cast<int>(value.size()), -1, 0) == 1;
}

bool AddExtension(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  return extension != nullptr && X509_add_ext(certificate, extension.get(), -1) == 1;
}

// A new key and a certificate for it, without extensions and signature.
struct Draft {
  Key key;
  Cert certificate;

  bool Begin(const std::string& common_name, const std::vector<std::string>& organizations) {
    ERR_clear_error();
    key.reset(EVP_EC_gen("P-256"));
    certificate.reset(X509_new());
    // Serial numbers are random because those of one authority must differ.
    const Number serial(BN_new());
    if (!key || !certificate || !serial) return false;
    if (BN_rand(serial.get(), kSerialBits, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) != 1) return false;
    BN_to_ASN1_INTEGER(serial.get(), X509_get_serialNumber(certificate.get()));
    X509_set_version(certificate.get(), X509_VERSION_3);
    X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -kHour);
    X509_time_adj_ex(X509_getm_notAfter(certificate.get()), kValidDays, 0, nullptr);
    X509_set_pubkey(certificate.get(), key.get());
    X509_NAME* const subject = X509_get_subject_name(certificate.get());
    for (const std::string& organization : organizations) {
      if (!AddName(subject, "O", organization)) return false;
    }
    return AddName(subject, "CN", common_name);
  }

  Result<KeyPair> Finish(EVP_PKEY* signer) const {
    const Bio certificate_text(BIO_new(BIO_s_mem()));
    const Bio key_text(BIO_new(BIO_s_mem()));
    if (X509_sign(certificate.get(), signer, EVP_sha256()) <= 0 ||
        PEM_write_bio_X509(certificate_text.get(), certificate.get()) != 1 ||
        PEM_write_bio_PrivateKey(key_text.get(), key.get(), nullptr, nullptr, 0, nullptr,
                                 nullptr) != 1) {
      return OpenSslProblem("signing a certificate");
    }
    return KeyPair{TextOf(certificate_text), TextOf(key_text)};
  }
};

Result<KeyPair> Issue(const KeyPair& authority, Draft& draft, const char* usage,
                      const std::string& alternatives) {
  const Bio issuer_text = Reader(authority.certificate);
  const Cert issuer(PEM_read_bio_X509(issuer_text.get(), nullptr, nullptr, nullptr));
  const Bio signer_text = Reader(authority.key);
  const Key signer(PEM_read_bio_PrivateKey(signer_text.get(), nullptr, nullptr, nullptr));
  if (!issuer || !signer) return OpenSslProblem("reading the authority's certificate and key");
  X509* const certificate = draft.certificate.get();
  X509_set_issuer_name(certificate, X509_get_subject_name(issuer.get()));
  const bool good =
      AddExtension(certificate, issuer.get(), NID_basic_constraints, "critical,CA:FALSE") &&
      AddExtension(certificate, issuer.get(), NID_key_usage, "critical,digitalSignature") &&
      AddExtension(certificate, issuer.get(), NID_ext_key_usage, usage) &&
      // Without the key identifiers, a certificate whose issuer has the same name would pass for a
      // self-signed one.
      AddExtension(certificate, issuer.get(), NID_subject_key_identifier, "hash") &&
      AddExtension(certificate, issuer.get(), NID_authority_key_identifier, "keyid:always") &&
      (alternatives.empty() ||
       AddExtension(certificate, issuer.get(), NID_subject_alt_name, alternatives));
  if (!good) return OpenSslProblem("making a certificate");
  return draft.Finish(signer.get());
}

bool IsDnsName(const std::string& name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '*' || c == '_';
  });
}

}  // namespace

Result<KeyPair> MakeCertificateAuthority(const std::string& name) {
  Draft draft;
  if (!draft.Begin(name, {})) return OpenSslProblem("making a certificate authority");
  X509* const certificate = draft.certificate.get();
  X509_set_issuer_name(certificate, X509_get_subject_name(certificate));
  if (!AddExtension(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE") ||
      !AddExtension(certificate, certificate, NID_key_usage, "critical,keyCertSign,cRLSign") ||
      !AddExtension(certificate, certificate, NID_subject_key_identifier, "hash")) {
    return OpenSslProblem("making a certificate authority");
  }
  return draft.Finish(draft.key.get());
}

Result<KeyPair> IssueServerCertificate(const KeyPair& authority,
                                       const std::vector<std::string>& names) {
  std::string alternatives = "DNS:localhost,IP:127.0.0.1,IP:::1";
  for (const std::string& name : names) {
    boost::system::error_code not_address;
    boost::asio::ip::make_address(name, not_address);
    if (not_address && !IsDnsName(name)) {
      return Fail(fmt::format("\"{}\" is neither an address nor a DNS name", name));
    }
    alternatives += (not_address ? ",DNS:" : ",IP:") + name;
  }
  Draft draft;
  if (!draft.Begin("berth-server", {})) return OpenSslProblem("making a certificate");
  return Issue(authority, draft, "serverAuth", alternatives);
}

Result<KeyPair> IssueClientCertificate(const KeyPair& authority, const std::string& common_name,
                                       const std::vector<std::string>& organizations) {
  Draft draft;
  if (!draft.Begin(common_name, organizations)) return OpenSslProblem("making a certificate");
  return Issue(authority, draft, "clientAuth", "");
}

}  // namespace berth::net
