// A certificate that a server makes for itself, for clients that are told to trust just this one.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace berth::net {

// PEM texts.
struct OwnCertificate {
  std::string certificate;
  std::string key;
};

// Signed by itself, valid for a year from an hour ago. `names` are host names and addresses that
// clients may use for the server.
Result<OwnCertificate> MakeOwnCertificate(const std::vector<std::string>& names);

}  // namespace berth::net
