// Owners of OpenSSL's objects.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>

namespace berth::net {

// Deletes with one of OpenSSL's functions: std::unique_ptr<BIGNUM, OpensslFree<BN_free>>.
template <auto kFree>
struct OpensslFree {
  void operator()(auto* object) const { kFree(object); }
};

using Bio = std::unique_ptr<BIO, OpensslFree<BIO_free_all>>;
using Cert = std::unique_ptr<X509, OpensslFree<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, OpensslFree<EVP_PKEY_free>>;

}  // namespace berth::net
