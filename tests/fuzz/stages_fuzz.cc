// Arbitrary bytes as a file of stages. Errors name the file; stages that are read keep their limits
// and can be asked about a pod.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "api/json/parse.h"
#include "base/check.h"
#include "localcluster/pod_stages.h"
#include "localcluster/stage_reader.h"

namespace berth::localcluster {
namespace {

void Check(std::string_view text) {
  const auto stages = ReadStages(text, "fuzz");
  if (!stages) {
    CHECK(stages.error().message.starts_with("fuzz: "));
    return;
  }
  static const api::Json pod = *api::ParseJson(
      R"({"metadata": {"name": "a", "namespace": "b", "labels": {"app": "web"},
          "ownerReferences": [{"kind": "Job"}]}, "spec": {"priority": 1}})");
  CHECK(!stages->all().empty() && stages->all().size() <= kMaxStages);
  const PodRandom random{1, "b/a"};
  for (const Stage& stage : stages->all()) {
    CHECK(!stage.name.empty());
    CHECK(stage.requirements.size() <= kMaxStageRequirements);
    const Duration delay = stage.DelayOf(random, 1);
    CHECK(delay >= stage.delay && delay <= stage.longest_delay);
    CHECK(stage.longest_delay <= Duration::Seconds(kMaxStageSeconds));
  }
  for (const StageMoment moment :
       {StageMoment::kStart, StageMoment::kReadiness, StageMoment::kExit, StageMoment::kDeletion}) {
    const Stage* found = stages->Find(moment, pod.get_object(), random);
    CHECK(!found || (MomentOf(found->status) == moment && found->Matches(pod.get_object())));
    CHECK(found == stages->Find(moment, pod.get_object(), random));
  }
}

}  // namespace
}  // namespace berth::localcluster

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  berth::localcluster::Check({reinterpret_cast<const char*>(data), size});
  return 0;
}
