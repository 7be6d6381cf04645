#include "cmd/scheduler_pods.h"

#include <algorithm>

#include "api/json/document.h"
#include "api/json/parse.h"

namespace berth::cmd {
namespace {

constexpr std::string_view kName = "berth-scheduler";
// Longer names of pods are cut off in their host names.
constexpr size_t kMaxHostName = 63;

// "registry:5000/tools/berth-scheduler:v1" has "berth-scheduler".
std::string_view RepositoryOf(std::string_view image) {
  image = image.substr(0, image.find('@'));
  const size_t slash = image.rfind('/');
  if (slash != image.npos) image.remove_prefix(slash + 1);
  return image.substr(0, image.find(':'));
}

bool Holds(const api::Pod& pod, std::string_view identity) {
  const std::string_view host = identity.substr(0, identity.rfind('_'));
  const std::string& name = pod.spec.host_network ? pod.spec.node_name : pod.metadata.name;
  return !host.empty() && std::string_view(name).substr(0, kMaxHostName) == host;
}

}  // namespace

bool RunsBerthScheduler(const api::Pod& pod) {
  for (const char* key : {"app", "app.kubernetes.io/name"}) {
    const auto label = pod.metadata.labels.find(key);
    if (label != pod.metadata.labels.end() && label->second == kName) return true;
  }
  return std::ranges::any_of(pod.spec.containers, [](const api::Container& container) {
    return RepositoryOf(container.image) == kName;
  });
}

std::vector<SchedulerPod> FindSchedulerPods(std::span<const api::Ref<api::Pod>> pods,
                                            std::span<const std::string> holders) {
  std::vector<SchedulerPod> found;
  for (const api::Ref<api::Pod>& pod : pods) {
    if (pod->finished() || pod->spec.node_name.empty() || !RunsBerthScheduler(*pod)) continue;
    const bool leads = std::ranges::any_of(
        holders, [&](const std::string& holder) { return Holds(*pod, holder); });
    found.push_back({{pod->metadata.namespace_, pod->metadata.name}, leads});
  }
  std::ranges::sort(found, [](const SchedulerPod& a, const SchedulerPod& b) {
    return a.leads != b.leads ? a.leads : a.key < b.key;
  });
  return found;
}

std::vector<std::string> LeaseHolders(std::string_view list) {
  std::vector<std::string> holders;
  auto document = api::ParseJson(list);
  api::JsonObject* object = document ? api::AsObject(*document) : nullptr;
  const api::JsonArray* items = api::ArrayAt(object, "items");
  if (items == nullptr) return holders;
  for (const auto& item : *items) {
    const std::string_view holder =
        api::StringAt(api::ObjectAt(api::AsObject(item), "spec"), "holderIdentity");
    if (!holder.empty()) holders.emplace_back(holder);
  }
  return holders;
}

}  // namespace berth::cmd
