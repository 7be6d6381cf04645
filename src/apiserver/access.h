// Access says who may use the server: everybody on a loopback address, and beyond it whoever shows
// a token or a client certificate. Everyone who is let in may do everything.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kinds/api_error.h"
#include "net/http_server.h"

namespace berth::apiserver {

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

// Whether a server that listens on `address` with these options is safe to start; the error says
// what to add.
Status CheckExposure(std::string_view address, bool tls, const AccessOptions& options);
// 127.0.0.0/8, ::1 or localhost.
bool IsLoopback(std::string_view address);

// Immutable.
class Access {
 public:
  explicit Access(AccessOptions options) : options_(std::move(options)) {}

  // Unauthorized if the request shows nothing that is known. Where everybody is let in, a request
  // that a web page of elsewhere has made a browser send is Forbidden.
  ApiResult<User> Authenticate(const net::ServerRequest& request) const;

  // Everybody is let in.
  bool open() const {
    return options_.allow_anonymous || (options_.tokens.empty() && !options_.client_certificates);
  }
  // Whose token it is; null if nobody's.
  const User* FindToken(std::string_view secret) const;

 private:
  AccessOptions options_;
};

}  // namespace berth::apiserver
