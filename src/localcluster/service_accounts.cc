#include "localcluster/service_accounts.h"

#include "localcluster/object_json.h"

namespace berth::localcluster {

namespace {

constexpr std::string_view kAccount = "default";
constexpr std::string_view kAuthority = "kube-root-ca.crt";
constexpr std::string_view kAuthorityKey = "ca.crt";
constexpr std::string_view kDescription = "kubernetes.io/description";
constexpr std::string_view kAuthorityDescription =
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal "
    "endpoints such as the internal service IP or kubernetes.default.svc. No other usage is "
    "guaranteed across distributions of Kubernetes clusters.";

const Kind& Accounts() {
  static const Kind& kind = api::scheme::KindOf("serviceaccounts");
  return kind;
}
const Kind& ConfigMaps() {
  static const Kind& kind = api::scheme::KindOf("configmaps");
  return kind;
}

}  // namespace

void ServiceAccounts::Observe(const Change& change) {
  const ObjectName& name = change.object.key;
  if (&change.kind == &Namespaces()) {
    if (change.deleted) return queue_.Forget(name);
    queue_.Add(name);
  } else if (&change.kind == &Accounts()) {
    if (change.deleted && name.name == kAccount) queue_.Add({"", name.namespace_});
  } else if (&change.kind == &ConfigMaps() && name.name == kAuthority) {
    queue_.Add({"", name.namespace_});
  }
}

void ServiceAccounts::Sync(const ObjectName& key) {
  const apiserver::store::ObjectPtr object = context_.store().Get(Namespaces().collection, key);
  if (!object) return;
  const Json parsed = apiserver::store::Parse(*object);
  if (At(ObjectAt(AsObject(parsed), "metadata"), "deletionTimestamp")) return;
  EnsureAccount(key.name);
  EnsureAuthority(key.name);
}

void ServiceAccounts::EnsureAccount(const std::string& namespace_) {
  if (context_.store().Get(Accounts().collection, {namespace_, std::string(kAccount)})) return;
  JsonObject account;
  SetString(EnsureObject(account, "metadata"), "name", kAccount);
  // Fails only if the namespace is being terminated or somebody else was faster.
  (void)context_.api.Create(Accounts(), namespace_, std::move(account));
}

void ServiceAccounts::EnsureAuthority(const std::string& namespace_) {
  const ObjectName name{namespace_, std::string(kAuthority)};
  const std::string& authority = context_.options.root_ca;
  const apiserver::store::ObjectPtr object = context_.store().Get(ConfigMaps().collection, name);
  if (!object) {
    JsonObject map;
    JsonObject& metadata = EnsureObject(map, "metadata");
    SetString(metadata, "name", kAuthority);
    SetString(EnsureObject(metadata, "annotations"), kDescription, kAuthorityDescription);
    SetString(EnsureObject(map, "data"), kAuthorityKey, authority);
    (void)context_.api.Create(ConfigMaps(), namespace_, std::move(map));
    return;
  }
  (void)context_.api.Modify(ConfigMaps(), name, [&](Json& document) {
    JsonObject& data = EnsureObject(document.get_object(), "data");
    const Json* present = At(&data, kAuthorityKey);
    if (data.size() == 1 && present && AsString(present) == authority) return false;
    data.clear();
    SetString(data, kAuthorityKey, authority);
    SetString(EnsureObject(EnsureObject(document.get_object(), "metadata"), "annotations"),
              kDescription, kAuthorityDescription);
    return true;
  });
}

}  // namespace berth::localcluster
