#include "net/certificates.h"

#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>

namespace berth::net {
namespace BERTH_TEST_FILE {

// Returns what OpenSSL accepts a certificate for.
uint32_t FlagsOf(const std::string& pem) {
  const std::unique_ptr<BIO, int (*)(BIO*)> bio(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), BIO_free);
  const std::unique_ptr<X509, void (*)(X509*)> certificate(
      PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr), X509_free);
  EXPECT_NE(certificate, nullptr);
  return X509_get_extension_flags(certificate.get());
}

TEST(Certificates, OnlyTheAuthorityIsSelfSigned) {
  const KeyPair authority = MakeCertificateAuthority("berth").value();
  EXPECT_NE(FlagsOf(authority.certificate) & EXFLAG_SS, 0u);
  EXPECT_NE(FlagsOf(authority.certificate) & EXFLAG_CA, 0u);
  const KeyPair issued[] = {
      IssueServerCertificate(authority, {"10.0.0.1"}).value(),
      IssueClientCertificate(authority, "somebody", {}).value(),
      IssueClientCertificate(authority, "berth", {}).value(),
  };
  for (const KeyPair& pair : issued) {
    EXPECT_EQ(FlagsOf(pair.certificate) & (EXFLAG_SS | EXFLAG_CA), 0u) << pair.certificate;
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::net
