#include "net/jwt_key.h"

#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
#include <openssl/x509.h>

#include <array>
#include <utility>

#include "base/base64.h"
#include "net/openssl_handles.h"

namespace berth::net {

// The signature of a JWT is r and s, 32 bytes each; OpenSSL's is their DER encoding.
constexpr int kCoordinateBytes = 32;

namespace {

using Digest = std::unique_ptr<EVP_MD_CTX, OpensslFree<EVP_MD_CTX_free>>;
using Signature = std::unique_ptr<ECDSA_SIG, OpensslFree<ECDSA_SIG_free>>;
using Integer = std::unique_ptr<BIGNUM, OpensslFree<BN_free>>;

const unsigned char* Bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::string Sha256(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(Bytes(text), text.size(), digest.data());
  return {digest.begin(), digest.end()};
}

// Returns the id by which a verifier finds the key: a hash of the public key, as kube-apiserver
// makes it.
std::string KeyIdOf(EVP_PKEY* key) {
  unsigned char* encoded = nullptr;
  const int size = i2d_PUBKEY(key, &encoded);
  if (size <= 0) return {};
  std::string der(reinterpret_cast<const char*>(encoded), static_cast<size_t>(size));
  OPENSSL_free(encoded);
  return EncodeBase64Url(Sha256(der));
}

bool IsP256(EVP_PKEY* key) {
  std::array<char, 32> name{};
  size_t size = 0;
  return EVP_PKEY_get_group_name(key, name.data(), name.size(), &size) == 1 &&
         std::string_view(name.data(), size) == "prime256v1";
}

std::string ToRaw(std::string_view der) {
  const unsigned char* begin = Bytes(der);
  const Signature signature(d2i_ECDSA_SIG(nullptr, &begin, static_cast<long>(der.size())));
  if (!signature) return {};
  std::array<unsigned char, 2 * kCoordinateBytes> raw{};
  const bool fits =
      BN_bn2binpad(ECDSA_SIG_get0_r(signature.get()), raw.data(), kCoordinateBytes) > 0 &&
      BN_bn2binpad(ECDSA_SIG_get0_s(signature.get()), raw.data() + kCoordinateBytes,
                   kCoordinateBytes) > 0;
  return fits ? std::string(raw.begin(), raw.end()) : std::string();
}

std::string ToDer(std::string_view raw) {
  if (raw.size() != 2 * kCoordinateBytes) return {};
  const Signature signature(ECDSA_SIG_new());
  Integer r(BN_bin2bn(Bytes(raw), kCoordinateBytes, nullptr));
  Integer s(BN_bin2bn(Bytes(raw) + kCoordinateBytes, kCoordinateBytes, nullptr));
  if (!signature || !r || !s || ECDSA_SIG_set0(signature.get(), r.get(), s.get()) != 1) return {};
  // The signature owns them now.
  (void)r.release();
  (void)s.release();
  unsigned char* encoded = nullptr;
  const int size = i2d_ECDSA_SIG(signature.get(), &encoded);
  if (size <= 0) return {};
  std::string der(reinterpret_cast<const char*>(encoded), static_cast<size_t>(size));
  OPENSSL_free(encoded);
  return der;
}

}  // namespace

struct JwtKey::Handle {
  explicit Handle(Key given) : key(std::move(given)) {
    // The algorithm is fixed: a token cannot choose another one.
    header = EncodeBase64Url(fmt::format(R"({{"alg":"ES256","kid":"{}"}})", KeyIdOf(key.get())));
  }

  Key key;
  std::string header;
};

Result<JwtKey> JwtKey::Generate() {
  Key key(EVP_EC_gen("P-256"));
  if (!key) return Fail("OpenSSL cannot generate a P-256 key");
  return JwtKey(std::make_shared<const Handle>(std::move(key)));
}

Result<JwtKey> JwtKey::FromPem(std::string_view pem) {
  const Bio bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  Key key(bio ? PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr) : nullptr);
  if (!key || !IsP256(key.get())) return Fail("it is not a P-256 private key in PEM");
  return JwtKey(std::make_shared<const Handle>(std::move(key)));
}

Result<std::string> JwtKey::ToPem() const {
  const Bio bio(BIO_new(BIO_s_mem()));
  if (!bio || PEM_write_bio_PrivateKey(bio.get(), handle_->key.get(), nullptr, nullptr, 0, nullptr,
                                       nullptr) != 1) {
    return Fail("OpenSSL cannot write the key");
  }
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return std::string(data, static_cast<size_t>(size));
}

Result<std::string> JwtKey::Sign(std::string_view claims) const {
  std::string token = handle_->header + '.' + EncodeBase64Url(claims);
  const Digest digest(EVP_MD_CTX_new());
  std::array<unsigned char, 128> der{};
  size_t size = der.size();
  if (!digest ||
      EVP_DigestSignInit(digest.get(), nullptr, EVP_sha256(), nullptr, handle_->key.get()) != 1 ||
      EVP_DigestSign(digest.get(), der.data(), &size, Bytes(token), token.size()) != 1) {
    return Fail("OpenSSL cannot sign");
  }
  const std::string raw = ToRaw({reinterpret_cast<const char*>(der.data()), size});
  if (raw.empty()) return Fail("OpenSSL cannot encode a signature");
  return token + '.' + EncodeBase64Url(raw);
}

std::optional<std::string> JwtKey::Verify(std::string_view token) const {
  const size_t first = token.find('.');
  const size_t second = token.find('.', first == token.npos ? first : first + 1);
  if (second == token.npos || token.substr(0, first) != handle_->header) return std::nullopt;
  const auto raw = DecodeBase64Url(token.substr(second + 1));
  const std::string der = raw ? ToDer(*raw) : std::string();
  if (der.empty()) return std::nullopt;
  const std::string_view signed_part = token.substr(0, second);
  const Digest digest(EVP_MD_CTX_new());
  if (!digest ||
      EVP_DigestVerifyInit(digest.get(), nullptr, EVP_sha256(), nullptr, handle_->key.get()) != 1 ||
      EVP_DigestVerify(digest.get(), Bytes(der), der.size(), Bytes(signed_part),
                       signed_part.size()) != 1) {
    return std::nullopt;
  }
  return DecodeBase64Url(token.substr(first + 1, second - first - 1));
}

}  // namespace berth::net
