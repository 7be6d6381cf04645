// Admission of a pod's service account: AdmitServiceAccount.
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/json/document.h"
#include "api/scheme/scheme.h"
#include "apiserver/admission/admission.h"
#include "apiserver/admission/metadata.h"
#include "apiserver/store/codec.h"
#include "base/random.h"

namespace berth::apiserver::admission {

namespace {

constexpr std::string_view kMirrorPod = "kubernetes.io/config.mirror";
constexpr std::string_view kVolumePrefix = "kube-api-access-";
constexpr std::string_view kAutomount = "automountServiceAccountToken";
constexpr std::string_view kMountPath = "/var/run/secrets/kubernetes.io/serviceaccount";
constexpr int64_t kMountedTokenSeconds = 3607;
constexpr int64_t kMountedFileMode = 0644;

// Returns the volume's name. DIFFERS: kube-apiserver draws it for each pod. Here all pods of an
// account have the same, so that copies of a pod stay copies to the scheduler.
std::string VolumeNameFor(std::string_view namespace_, std::string_view account) {
  uint64_t seed = 14695981039346656037ULL;
  for (const std::string_view text : {namespace_, std::string_view("/"), account}) {
    for (const char c : text) seed = (seed ^ static_cast<uint8_t>(c)) * 1099511628211ULL;
  }
  Random random(seed);
  return GenerateName(kVolumePrefix, random);
}

api::JsonObject& Append(api::JsonArray& list) {
  return list.emplace_back(boost::json::object_kind).get_object();
}

void AddTokenVolume(api::JsonObject& spec, std::string_view name) {
  api::JsonObject& volume = Append(api::EnsureArray(spec, "volumes"));
  api::SetString(volume, "name", name);
  api::JsonObject& projected = api::EnsureObject(volume, "projected");
  api::JsonArray& sources = api::EnsureArray(projected, "sources");
  api::JsonObject& token = api::EnsureObject(Append(sources), "serviceAccountToken");
  api::SetInt(token, "expirationSeconds", kMountedTokenSeconds);
  api::SetString(token, "path", "token");
  api::JsonObject& authority = api::EnsureObject(Append(sources), "configMap");
  api::SetString(authority, "name", "kube-root-ca.crt");
  api::JsonObject& file = Append(api::EnsureArray(authority, "items"));
  api::SetString(file, "key", "ca.crt");
  api::SetString(file, "path", "ca.crt");
  api::JsonObject& field =
      Append(api::EnsureArray(api::EnsureObject(Append(sources), "downwardAPI"), "items"));
  api::SetString(field, "path", "namespace");
  api::JsonObject& reference = api::EnsureObject(field, "fieldRef");
  api::SetString(reference, "apiVersion", "v1");
  api::SetString(reference, "fieldPath", "metadata.namespace");
  api::SetInt(projected, "defaultMode", kMountedFileMode);
}

// Mounts the volume, unless the container has a volume there. Reports whether it did.
bool MountIn(api::JsonObject& container, std::string_view volume) {
  api::JsonArray& mounts = api::EnsureArray(container, "volumeMounts");
  const bool taken = std::ranges::any_of(mounts, [](const api::Json& mount) {
    return api::StringAt(api::AsObject(mount), "mountPath") == kMountPath;
  });
  if (taken) return false;
  api::JsonObject& mount = Append(mounts);
  api::SetString(mount, "name", volume);
  api::SetBool(mount, "readOnly", true);
  api::SetString(mount, "mountPath", kMountPath);
  return true;
}

void MountToken(api::JsonObject& spec, std::string name) {
  bool has_volume = false;
  const api::JsonArray* volumes = api::ArrayAt(&spec, "volumes");
  for (size_t i = 0; volumes && i < volumes->size() && !has_volume; ++i) {
    const std::string_view present = api::StringAt(api::AsObject((*volumes)[i]), "name");
    if (!present.starts_with(kVolumePrefix)) continue;
    has_volume = true;
    name = present;
  }
  bool mounted = false;
  for (const std::string_view key : {"initContainers", "containers"}) {
    api::JsonArray* containers = api::ArrayAt(&spec, key);
    for (size_t i = 0; containers && i < containers->size(); ++i) {
      api::JsonObject* container = (*containers)[i].if_object();
      if (container) mounted |= MountIn(*container, name);
    }
  }
  if (mounted && !has_volume) AddTokenVolume(spec, name);
}

// The pod's preference wins over the account's; both are on by default.
bool WantsToken(const api::JsonObject& spec, const api::JsonObject* account) {
  const api::Json* wish = api::At(&spec, kAutomount);
  if (!wish) wish = api::At(account, kAutomount);
  const bool* flag = wish ? wish->if_bool() : nullptr;
  return !flag || *flag;
}

}  // namespace

void AdmitServiceAccount(const AdmissionContext& context, api::JsonObject& pod) {
  static const api::scheme::Kind& accounts = api::scheme::KindOf("serviceaccounts");
  const api::JsonObject& metadata = MetadataOf(pod);
  if (api::At(api::ObjectAt(&metadata, "annotations"), kMirrorPod)) return;
  const std::string namespace_(api::StringAt(&metadata, "namespace"));
  api::JsonObject& spec = api::EnsureObject(pod, "spec");
  api::DefaultString(spec, "serviceAccountName", "default");
  const std::string name(api::StringAt(&spec, "serviceAccountName"));
  api::SetString(spec, "serviceAccount", name);
  const store::ObjectPtr object = context.store.Get(accounts.collection, {namespace_, name});
  // Most accounts have no settings, and there are many pods.
  const bool has_settings = object && (object->json.find("imagePullSecrets") != std::string::npos ||
                                       object->json.find(kAutomount) != std::string::npos);
  const api::Json document = has_settings ? store::Parse(*object) : api::Json();
  const api::JsonObject* account = api::AsObject(document);
  const api::JsonArray* secrets = api::ArrayAt(account, "imagePullSecrets");
  if (secrets && !secrets->empty() && api::EmptyAt(&spec, "imagePullSecrets")) {
    spec["imagePullSecrets"] = *secrets;
  }
  if (context.mount_tokens && WantsToken(spec, account)) {
    MountToken(spec, VolumeNameFor(namespace_, name));
  }
}

}  // namespace berth::apiserver::admission
