// Authenticator identifies the user of a request to the HTTPS port; ClientTrust holds the
// certificate authorities that it trusts.
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
#include "daemon/review_cache.h"
#include "daemon/review_queue.h"
#include "net/http_server.h"
#include "net/server_certificates.h"

namespace berth::daemon {

// Immutable.
struct Trust {
  std::shared_ptr<const net::ClientAuthorities> clients;  // Null: certificates are ignored.
  // Authorities of front proxies, whose headers name the user. Null: headers are ignored.
  std::shared_ptr<const net::ClientAuthorities> proxies;
  std::vector<std::string> proxy_names;  // Accepted names of front proxies; empty: any.
  std::vector<std::string> username_headers;
  std::vector<std::string> uid_headers;
  std::vector<std::string> group_headers;
  std::vector<std::string> extra_header_prefixes;
};

// ClientTrust reads the authorities of clients and front proxies from the files that flags name,
// else from the ConfigMap kube-system/extension-apiserver-authentication.
class ClientTrust {
 public:
  // `client` may be null: then the ConfigMap is not read. It must outlive this, and its callbacks
  // must end before this is destroyed.
  ClientTrust(AuthenticationFlags flags, FileReader read, client::RestClient* client);

  // Reads the files. Returns the first problem.
  Status CheckFiles() const;

  // Reads the files again, and the ConfigMap if it is needed. Parts that cannot be read stay
  // unchanged. Calls back once with the first problem, possibly before it returns.
  void Refresh(const std::function<void(Status)>& done);

  std::shared_ptr<const Trust> current() const;

 private:
  Status ReadFiles(Trust& trust) const;
  Status ReadConfigMap(const std::string& body, Trust& trust) const;
  bool NeedsConfigMap() const;
  void Publish(Trust trust);

  const AuthenticationFlags flags_;
  const FileReader read_;
  client::RestClient* const client_;
  mutable std::mutex mutex_;
  std::shared_ptr<const Trust> current_;
};

// Authenticator identifies the user of a request by, in this order: a front proxy's headers, a
// client certificate, a bearer token that the API server reviews. Otherwise the user is
// system:anonymous.
//
// May be used on any thread.
class Authenticator {
 public:
  // The error says why the claimed identity is rejected: 401, or 429 if it was not reviewed.
  using Callback = std::function<void(std::expected<User, ReviewError>)>;

  // Whether tokens are reviewed, which takes time.
  enum class Tokens { kReviewed, kIgnored };

  // `client` may be null: then tokens are ignored. It calls back on `executor`, and its callbacks
  // must end before this is destroyed. All references must outlive this.
  Authenticator(const ClientTrust& trust, client::RestClient* client, net::Executor& executor,
                Duration token_ttl);

  // Calls back once, possibly before it returns, unless it is cancelled. `request` must live until
  // then.
  void Authenticate(const net::ServerRequest& request, Tokens tokens, const Callback& callback);
  // Nobody waits for the result any more.
  void Cancel(const net::ServerRequest& request);

 private:
  void ReviewToken(const net::ServerRequest& request, const std::string& token,
                   const Callback& callback);

  const ClientTrust& trust_;
  const Duration token_ttl_;
  // By a digest of the token; nullopt if the token is not valid.
  ReviewCache<std::optional<User>> tokens_;
  std::optional<ReviewQueue> reviews_;  // Without a client there are none.
};

}  // namespace berth::daemon
