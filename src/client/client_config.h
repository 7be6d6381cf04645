// ClientConfig is the configuration of a client of a Kubernetes API server: its address, the
// trusted authorities, the credentials and the rate limits.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "net/http_message.h"
#include "net/tls.h"

namespace berth::client {

// The identity of a client. Both, one or none may be set.
struct Credential {
  std::string bearer_token;
  // PEM. If not empty, they replace those of ClientConfig::tls.
  std::string certificate;
  std::string key;

  friend bool operator==(const Credential&, const Credential&) = default;
};

// Credentials provides the credential for the next request. Tokens in files rotate, and plugins run
// again when their credential expires. Any thread.
class Credentials {
 public:
  using Callback = std::function<void(Result<Credential>)>;

  virtual ~Credentials() = default;
  // Calls back once: from within if a credential is available, else later on any thread.
  virtual void Get(Callback callback) = 0;
  // Reports that the server rejected `credential` (401): it is not returned again if another is
  // available.
  virtual void Refused(const Credential& credential) = 0;
};

struct ClientConfig {
  std::string server;  // "https://10.0.0.1:6443", optionally with a path.
  net::TlsOptions tls;
  std::shared_ptr<Credentials> credentials;  // Null means anonymous, or the certificate of `tls`.
  std::vector<net::HttpHeader> headers;      // Sent with each request: impersonation.
  std::string default_namespace = "default";
  std::string user_agent = "berth";
  // As in clientConnection. A negative qps means no limit; 0 means client-go's 5 and 10.
  double qps = 50;
  int burst = 100;
  // Requests compressed responses. kube-scheduler does not, because the server is near.
  bool gzip = false;
};

}  // namespace berth::client
