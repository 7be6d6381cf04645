// A certificate authority generated in memory, and the server and client certificates that it
// issues.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace berth::net {

// A certificate and its private key, both PEM.
struct KeyPair {
  std::string certificate;
  std::string key;
};

// Generates a self-signed authority. All certificates are valid for ten years, starting an hour
// ago.
Result<KeyPair> MakeCertificateAuthority(const std::string& name);

// Issues a server certificate for localhost, 127.0.0.1, ::1 and `names`, which are IP addresses or
// DNS names. The error names the entry that is neither.
Result<KeyPair> IssueServerCertificate(const KeyPair& authority,
                                       const std::vector<std::string>& names);

// Issues a client certificate for the user `common_name` in the groups `organizations`.
Result<KeyPair> IssueClientCertificate(const KeyPair& authority, const std::string& common_name,
                                       const std::vector<std::string>& organizations);

}  // namespace berth::net
