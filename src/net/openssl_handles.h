// Owners of OpenSSL's objects.
#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <boost/system/error_code.hpp>
#include <memory>
#include <string>

#include "base/result.h"

namespace berth::net {

// Deletes with one of OpenSSL's functions: std::unique_ptr<BIGNUM, OpensslFree<BN_free>>.
template <auto kFree>
struct OpensslFree {
  void operator()(auto* object) const { kFree(object); }
};

using Bio = std::unique_ptr<BIO, OpensslFree<BIO_free_all>>;
using Cert = std::unique_ptr<X509, OpensslFree<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, OpensslFree<EVP_PKEY_free>>;

// PEM texts, from files or given as they are.
struct Pem {
  std::string text;
  std::string source;  // For error messages: `certFile "x.pem"`.
};

// `name` is "ca", "cert" or "key". Data goes before a file. The error names the file.
Result<Pem> ReadPem(const char* name, const std::string& data, const std::string& file);

// An error that says that `pem` is not `what`, if `error` is one.
Status CheckPem(const boost::system::error_code& error, const Pem& pem, const char* what);

}  // namespace berth::net
