// ServiceAccountTokens issues and verifies the tokens of service accounts: JSON web tokens with the
// claims of kube-apiserver.
//
// A token is valid until it expires, or until its account or the object that it is bound to is
// deleted. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/registry/access.h"
#include "apiserver/store/store.h"
#include "base/time.h"
#include "net/jwt_key.h"

namespace berth::apiserver {

class ServiceAccountTokens final : public registry::TokenIssuer {
 public:
  // The issuer, and the audience of tokens for the API server itself.
  static constexpr std::string_view kIssuer = "https://kubernetes.default.svc.cluster.local";

  // `store` and `clock`, which may be accelerated, must outlive it.
  ServiceAccountTokens(const store::Store& store, const Clock& clock, net::JwtKey key);

  api::scheme::ApiResult<api::Json> Issue(const store::ObjectName& account,
                                          const api::Json& request) const override;
  std::optional<registry::User> Verify(std::string_view token,
                                       const std::vector<std::string>& audiences) const override;

 private:
  // Reports whether the object that `claims` refer to by `key` exists, or there is none.
  bool Exists(const api::JsonObject* claims, std::string_view key, std::string_view resource,
              const std::string& namespace_) const;
  // Adds the claims of the object that the token is bound to.
  api::scheme::ApiResult<void> Bind(const store::ObjectName& account, const api::JsonObject& bound,
                                    api::JsonObject& claims) const;

  const store::Store& store_;
  const Clock& clock_;
  net::JwtKey key_;
  mutable std::atomic<uint64_t> issued_ = 0;
};

}  // namespace berth::apiserver
