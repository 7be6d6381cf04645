// PEM texts, from files or given as they are.
#pragma once

#include <boost/system/error_code.hpp>
#include <string>

#include "base/result.h"

namespace berth::net {

struct Pem {
  std::string text;
  std::string source;  // For error messages: `certFile "x.pem"`.
};

// `name` is "ca", "cert" or "key". Data goes before a file. The error names the file.
Result<Pem> ReadPem(const char* name, const std::string& data, const std::string& file);

// An error that says that `pem` is not `what`, if `error` is one.
Status CheckPem(const boost::system::error_code& error, const Pem& pem, const char* what);

}  // namespace berth::net
