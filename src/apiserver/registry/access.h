// Access lists who may use the server: everybody on a loopback address; elsewhere the holders of a
// token or of a client certificate. Everyone who is let in may do everything.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace berth::apiserver::registry {

struct User {
  std::string name;
  std::string uid;
  std::vector<std::string> groups;
};

// A line of a token file: token,user,uid,"group1,group2"; uid and groups may be left out.
struct Token {
  std::string secret;
  User user;
};
// The errors name the line, never the token. Empty lines and those that begin with # are skipped.
Result<std::vector<Token>> ParseTokenFile(std::string_view text);

struct AccessOptions {
  std::vector<Token> tokens = {};
  bool client_certificates = false;  // Those that the server's client CA has signed count.
  bool allow_anonymous = false;      // Lets everybody in, wherever the server listens.
};

// Immutable.
class Access {
 public:
  explicit Access(AccessOptions options) : options_(std::move(options)) {}

  const AccessOptions& options() const { return options_; }
  // Everybody is let in.
  bool open() const {
    return options_.allow_anonymous || (options_.tokens.empty() && !options_.client_certificates);
  }
  // Whose token it is; null if nobody's.
  const User* FindToken(std::string_view secret) const;

 private:
  AccessOptions options_;
};

}  // namespace berth::apiserver::registry
