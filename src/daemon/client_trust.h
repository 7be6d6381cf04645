// ClientTrust says whose certificates tell who a client is: from files, and what they leave out
// from the ConfigMap kube-system/extension-apiserver-authentication.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "daemon/api_requests.h"
#include "daemon/flags.h"
#include "daemon/options.h"
#include "net/server_client_authorities.h"

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

}  // namespace berth::daemon
