#include "world/owned_pods.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "world/documents.h"

namespace berth::world {

namespace {

// Pending, then what is not known, then Running.
int PhaseRank(const PodRecord& pod) {
  if (pod.phase() == "Pending") return 0;
  return pod.phase() == "Running" ? 2 : 1;
}

void Release(JsonObject& metadata, std::string_view uid) {
  JsonArray* owners = ArrayAt(&metadata, "ownerReferences");
  for (size_t i = owners ? owners->size() : 0; i-- > 0;) {
    if (StringAt(AsObject((*owners)[i]), "uid") == uid) {
      owners->erase(owners->begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
  if (owners && owners->empty()) metadata.erase("ownerReferences");
}

}  // namespace

void ClaimPods(Context& context, const Kind& kind, const JsonObject& owner,
               const api::Selector& selector, store::ObjectPtr& wrote) {
  const JsonObject* metadata = ObjectAt(&owner, "metadata");
  if (At(metadata, "deletionTimestamp")) return;
  const std::string uid(StringAt(metadata, "uid"));
  const std::string namespace_(StringAt(metadata, "namespace"));
  const auto change = [&](const PodRecord& pod, auto alter) {
    const auto done = context.api.Modify(Pods(), pod.name(), [&](Json& document) {
      JsonObject& own = ObjectIn(document.get_object(), "metadata");
      if (StringAt(&own, "uid") != pod.uid()) return false;
      return alter(own);
    });
    if (done) wrote = *done;
  };
  for (const PodRecord* pod : context.pods.OwnedBy(uid)) {
    if (Matches(selector, *pod->object)) continue;
    change(*pod, [&](JsonObject& own) {
      Release(own, uid);
      return true;
    });
  }
  for (const PodRecord* pod : context.pods.OrphansIn(namespace_)) {
    if (pod->deleting || !Matches(selector, *pod->object)) continue;
    change(*pod, [&](JsonObject& own) {
      if (ControllerOf(&own) || At(&own, "deletionTimestamp")) return false;
      SetController(own, kind, owner);
      return true;
    });
  }
}

void SortForDeletion(std::vector<const PodRecord*>& pods) {
  std::map<std::string_view, int> crowd;
  for (const PodRecord* pod : pods) ++crowd[pod->node()];
  const auto rank = [&](const PodRecord* pod) {
    return std::tuple(!pod->node().empty(), PhaseRank(*pod), pod->ready, pod->deletion_cost,
                      -crowd[pod->node()], -pod->ready_since.nanos, -pod->restarts,
                      -pod->created.nanos);
  };
  std::ranges::stable_sort(pods, [&](const PodRecord* a, const PodRecord* b) {
    const auto first = rank(a);
    const auto second = rank(b);
    return first != second ? first < second : a->name() < b->name();
  });
}

bool IsAvailable(const PodRecord& pod, int64_t seconds, Instant now, std::optional<Instant>& due) {
  if (!pod.ready) return false;
  if (seconds <= 0) return true;
  const Instant at = pod.ready_since + Duration::Seconds(seconds);
  if (at <= now) return true;
  if (!due || at < *due) due = at;
  return false;
}

}  // namespace berth::world
