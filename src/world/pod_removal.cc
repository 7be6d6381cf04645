#include "world/pod_removal.h"

#include "apiserver/prepare.h"
#include "world/documents.h"

namespace berth::world {

void MarkDisrupted(Context& context, const PodRecord& pod, std::string_view reason,
                   std::string_view message, bool fail) {
  // If the pod is gone by now, nothing is left to be said.
  (void)context.api.Modify(Pods(), pod.name(), [&](Json& newest) {
    JsonObject& fields = newest.get_object();
    if (StringAt(ObjectAt(&fields, "metadata"), "uid") != pod.uid()) return false;
    JsonObject& status = ObjectIn(fields, "status");
    apiserver::SetCondition(status, "DisruptionTarget", "True", reason, message, context.now());
    const std::string_view phase = StringAt(&status, "phase");
    if (fail && phase != "Succeeded" && phase != "Failed") SetString(status, "phase", "Failed");
    return true;
  });
}

}  // namespace berth::world
