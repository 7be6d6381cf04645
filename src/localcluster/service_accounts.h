// ServiceAccounts creates in every namespace the service account "default" and the ConfigMap
// kube-root-ca.crt, which has the certificate authority of the API server.
#pragma once

#include "localcluster/controller.h"

namespace berth::localcluster {

// Only the existence of the account matters; the ConfigMap is restored if somebody changes it.
class ServiceAccounts final : public Controller {
 public:
  explicit ServiceAccounts(Context& context) : Controller("service-accounts", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& key) override;  // The key names a namespace.

 private:
  void EnsureAccount(const std::string& namespace_);
  void EnsureAuthority(const std::string& namespace_);
};

}  // namespace berth::localcluster
