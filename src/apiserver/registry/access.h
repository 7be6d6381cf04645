// Access is the authentication configuration of the server: by default every client is accepted on
// a loopback address; else clients need a token or a client certificate. There is no authorization:
// every accepted client may do everything.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/json/json.h"
#include "api/scheme/api_error.h"
#include "apiserver/store/stored_object.h"
#include "base/result.h"

namespace berth::apiserver::registry {

struct User {
  std::string name;
  std::string uid;
  std::vector<std::string> groups;
};

// A line of a token file: token,user,uid,"group1,group2"; uid and groups are optional.
struct Token {
  std::string secret;
  User user;
};
// Parses a token file. Errors contain the line number, never the token. Skips empty lines and lines
// that begin with #.
Result<std::vector<Token>> ParseTokenFile(std::string_view text);

// TokenIssuer issues the tokens of service accounts and identifies their users. Thread-safe.
class TokenIssuer {
 public:
  virtual ~TokenIssuer() = default;
  // POST serviceaccounts/<name>/token: returns the TokenRequest with its status.
  virtual api::scheme::ApiResult<api::Json> Issue(const store::ObjectName& account,
                                                  const api::Json& request) const = 0;
  // Returns the user if the token is valid now and for one of `audiences`; no audiences mean the
  // API server itself.
  virtual std::optional<User> Verify(std::string_view token,
                                     const std::vector<std::string>& audiences) const = 0;
};

struct AccessOptions {
  std::vector<Token> tokens = {};
  bool client_certificates = false;  // Accepts certificates that the server's client CA has signed.
  bool allow_anonymous = false;      // Accepts every client on any address.
  std::shared_ptr<const TokenIssuer> service_accounts = {};  // Null: there are no such tokens.
};

// Immutable.
class Access {
 public:
  explicit Access(AccessOptions options) : options_(std::move(options)) {}

  const AccessOptions& options() const { return options_; }
  // Reports whether every client is accepted.
  bool open() const {
    return options_.allow_anonymous || (options_.tokens.empty() && !options_.client_certificates);
  }
  // Returns the user of a token, which is one of the options or issued to a service account.
  std::optional<User> FindToken(std::string_view secret,
                                const std::vector<std::string>& audiences = {}) const;

 private:
  AccessOptions options_;
};

}  // namespace berth::apiserver::registry
