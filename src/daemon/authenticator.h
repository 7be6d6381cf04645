// ClientTrust says whose certificates tell who a client is: from files, and what they leave out
// from the ConfigMap kube-system/extension-apiserver-authentication.
#pragma once

#include <expected>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "daemon/endpoint_responses.h"
#include "daemon/flags.h"
#include "daemon/options.h"
#include "daemon/review_client.h"
#include "net/http_server.h"
#include "net/server_certificates.h"

namespace berth::daemon {

// Immutable.
struct Trust {
  std::shared_ptr<const net::ClientAuthorities> clients;  // Null: certificates are not looked at.
  // Of front proxies, whose headers name the user; null: headers are not looked at.
  std::shared_ptr<const net::ClientAuthorities> proxies;
  std::vector<std::string> proxy_names;  // Empty: any.
  std::vector<std::string> username_headers;
  std::vector<std::string> uid_headers;
  std::vector<std::string> group_headers;
  std::vector<std::string> extra_header_prefixes;
};

class ClientTrust {
 public:
  // `api` may be null: then nothing is looked up in the cluster. It must outlive this, and what it
  // has been asked must be answered before this goes.
  ClientTrust(AuthenticationFlags flags, FileReader read, ApiRequests* api);

  // What is wrong with the files, if anything is.
  Status CheckFiles() const;

  // Reads the files again, and the ConfigMap if it is needed. What cannot be read leaves what was
  // there before. Calls back once with the first problem, perhaps from within.
  void Refresh(const std::function<void(Status)>& done);

  std::shared_ptr<const Trust> current() const;

 private:
  Status ReadFiles(Trust& trust) const;
  Status ReadConfigMap(const std::string& body, Trust& trust) const;
  bool NeedsConfigMap() const;
  void Publish(Trust trust);

  const AuthenticationFlags flags_;
  const FileReader read_;
  ApiRequests* const api_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Trust> current_;
};

// Authenticator tells who makes a request, in this order: a front proxy's headers, a client
// certificate, a bearer token that the API server reviews; failing all that, nobody in particular.
//
// Any thread.
class Authenticator {
 public:
  // The error is why somebody who claims to be somebody is not believed: 401.
  using Callback = std::function<void(Result<User>)>;

  // `api` may be null: then tokens are not looked at. All must outlive it, and so must what `api`
  // has been asked.
  Authenticator(const ClientTrust& trust, ApiRequests* api, Timer later, const Clock& clock,
                Duration token_ttl);

  // Calls back once, perhaps from within.
  void Authenticate(const net::ServerRequest& request, Callback callback);

 private:
  void ReviewToken(const std::string& token, Callback callback);

  const ClientTrust& trust_;
  ApiRequests* const api_;
  const Timer timer_;
  const Duration token_ttl_;
  // By a digest of the token. Nobody: the token is not valid.
  ReviewCache<std::optional<User>> tokens_;
};

}  // namespace berth::daemon
