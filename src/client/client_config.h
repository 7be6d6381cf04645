// What a client of a Kubernetes API server needs to know: where it is, whom to trust, who to be and
// how fast to go.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "net/http_message.h"
#include "net/tls.h"

namespace berth::client {

// Who a client is. Both may be given, or none.
struct Credential {
  std::string bearer_token;
  // PEM. They replace those of ClientConfig::tls, unless empty.
  std::string certificate;
  std::string key;

  friend bool operator==(const Credential&, const Credential&) = default;
};

// Gives the credential for the next request. Tokens in files rotate, plugins are run again when
// what they gave expires. May be called on any thread.
class Credentials {
 public:
  using Callback = std::function<void(Result<Credential>)>;

  virtual ~Credentials() = default;
  // Calls back once: from within if the answer is at hand, else later on any thread.
  virtual void Get(Callback callback) = 0;
  // The server has refused `credential` (401): it is not given again if another can be had.
  virtual void Refused(const Credential& credential) = 0;
};

struct ClientConfig {
  std::string server;  // "https://10.0.0.1:6443", perhaps with a path.
  net::TlsOptions tls;
  std::shared_ptr<Credentials> credentials;  // Null: anonymous, or by the certificate of `tls`.
  std::vector<net::HttpHeader> headers;      // Sent with each request: impersonation.
  std::string default_namespace = "default";
  std::string user_agent = "berth";
  // As clientConnection has them. A negative qps is no limit; 0 means client-go's 5 and 10.
  double qps = 50;
  int burst = 100;
  // Asks for compressed answers. kube-scheduler does not: the network is near.
  bool gzip = false;
};

}  // namespace berth::client
