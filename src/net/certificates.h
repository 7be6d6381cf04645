// Certificates made on the spot, for servers that were given none: a small authority, and what it
// signs.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace berth::net {

// PEM texts.
struct KeyPair {
  std::string certificate;
  std::string key;
};

// An authority that signs itself. All certificates are valid for ten years from an hour ago.
Result<KeyPair> MakeCertificateAuthority(const std::string& name);

// A server's certificate for localhost, 127.0.0.1, ::1 and `names`: addresses and DNS names. The
// error says which name is neither.
Result<KeyPair> IssueServerCertificate(const KeyPair& authority,
                                       const std::vector<std::string>& names);

// A client's, for the user `common_name` in the groups `organizations`.
Result<KeyPair> IssueClientCertificate(const KeyPair& authority, const std::string& common_name,
                                       const std::vector<std::string>& organizations);

}  // namespace berth::net
