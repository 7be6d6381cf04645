#include "twin/rule.h"

#include "twin/image_rule.h"
#include "twin/node_rules.h"
#include "twin/pod_affinity_rule.h"
#include "twin/resource_rules.h"
#include "twin/spread_rule.h"
#include "twin/volume_binding_rule.h"
#include "twin/volume_rules.h"

namespace berth::twin {
namespace {

// DynamicResources has no say about pods without claims, and gives all nodes the score 0.
class DynamicResources final : public Rule {
 public:
  using Rule::Rule;
  PreFilterAnswer PreFilter() override { return {Verdict::Skip()}; }
};

std::unique_ptr<Rule> MakeDynamicResources(const Question& question) {
  return std::make_unique<DynamicResources>(question);
}

}  // namespace

std::string JoinErrors(const std::vector<std::string>& errors) {
  if (errors.size() == 1) return errors[0];
  std::string all;
  for (const std::string& error : errors) all += (all.empty() ? "" : ", ") + error;
  return "[" + all + "]";
}

std::unique_ptr<Rule> MakeRule(std::string_view plugin, const Question& question) {
  using Maker = std::unique_ptr<Rule> (*)(const Question&);
  static const std::map<std::string_view, Maker> kMakers = {
      {"NodeUnschedulable", MakeNodeUnschedulable},
      {"NodeName", MakeNodeName},
      {"TaintToleration", MakeTaintToleration},
      {"NodeAffinity", MakeNodeAffinity},
      {"NodePorts", MakeNodePorts},
      {"NodeResourcesFit", MakeNodeResourcesFit},
      {"VolumeRestrictions", MakeVolumeRestrictions},
      {"NodeVolumeLimits", MakeNodeVolumeLimits},
      {"VolumeBinding", MakeVolumeBinding},
      {"VolumeZone", MakeVolumeZone},
      {"PodTopologySpread", MakePodTopologySpread},
      {"InterPodAffinity", MakeInterPodAffinity},
      {"DynamicResources", MakeDynamicResources},
      {"NodeResourcesBalancedAllocation", MakeNodeResourcesBalancedAllocation},
      {"ImageLocality", MakeImageLocality},
      {"NodeDeclaredFeatures", MakeNodeDeclaredFeatures},
  };
  const auto found = kMakers.find(plugin);
  return found == kMakers.end() ? nullptr : found->second(question);
}

}  // namespace berth::twin
