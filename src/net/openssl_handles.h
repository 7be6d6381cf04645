// Owning handles of OpenSSL objects, and PEM texts from files or data.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <boost/system/error_code.hpp>
#include <memory>
#include <string>

#include "base/result.h"

namespace berth::net {

// Deletes an object with a function of OpenSSL: std::unique_ptr<BIGNUM, OpensslFree<BN_free>>.
template <auto kFree>
struct OpensslFree {
  void operator()(auto* object) const { kFree(object); }
};

using Bio = std::unique_ptr<BIO, OpensslFree<BIO_free_all>>;
using Cert = std::unique_ptr<X509, OpensslFree<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, OpensslFree<EVP_PKEY_free>>;

// A PEM text and its origin.
struct Pem {
  std::string text;
  std::string source;  // For error messages: `certFile "x.pem"`.
};

// Returns `data` if not empty, else the contents of `file`. `name` is "ca", "cert" or "key". The
// error names the file.
Result<Pem> ReadPem(const char* name, const std::string& data, const std::string& file);

// Returns an error that says that `pem` is not `what`, if `error` is set.
Status CheckPem(const boost::system::error_code& error, const Pem& pem, const char* what);

}  // namespace berth::net
