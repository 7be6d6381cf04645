// JwtKey signs and verifies JSON web tokens (RFC 7519) with ES256, a P-256 key.
//
// Immutable and thread-safe.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::net {

class JwtKey {
 public:
  static Result<JwtKey> Generate();
  // Reads a private key in PEM, as ToPem writes it. The error never contains the key.
  static Result<JwtKey> FromPem(std::string_view pem);
  Result<std::string> ToPem() const;

  // Returns the token with these claims, the text of a JSON object.
  Result<std::string> Sign(std::string_view claims) const;
  // Returns the claims of a token that this key has signed, or nullopt. Does not check the claims.
  std::optional<std::string> Verify(std::string_view token) const;

 private:
  struct Handle;
  explicit JwtKey(std::shared_ptr<const Handle> handle) : handle_(std::move(handle)) {}

  std::shared_ptr<const Handle> handle_;
};

}  // namespace berth::net
