#include "support/random_choice.h"

namespace berth::generate {

api::StringMap RandomPodLabels(Random& random) {
  api::StringMap labels;
  if (random.Chance(85)) labels["app"] = OneOf(random, {"web", "db", "cache"});
  if (random.Chance(50)) labels["tier"] = OneOf(random, {"front", "back"});
  if (random.Chance(30)) labels["version"] = OneOf(random, {"v1", "v2", "v3"});
  return labels;
}

api::StringMap RandomNamespaceLabels(Random& random) {
  api::StringMap labels;
  if (random.Chance(60)) labels["env"] = OneOf(random, {"prod", "test"});
  if (random.Chance(40)) labels["team"] = OneOf(random, {"red", "blue"});
  return labels;
}

namespace {

api::LabelSelectorRequirement RandomRequirement(Random& random) {
  switch (random.Below(4)) {
    case 0:
      return {"app", "In", AtLeastOne(random, {"web", "db", "cache"})};
    case 1:
      return {"tier", "NotIn", {OneOf(random, {"front", "back"})}};
    case 2:
      return {"version", "Exists", {}};
    default:
      return {OneOf(random, {"tier", "version"}), "DoesNotExist", {}};
  }
}

}  // namespace

api::LabelSelector RandomPodSelector(Random& random) {
  api::LabelSelector selector;
  if (random.Chance(8)) return selector;
  if (random.Chance(65)) selector.match_labels["app"] = OneOf(random, {"web", "db", "cache"});
  if (random.Chance(20)) selector.match_labels["tier"] = OneOf(random, {"front", "back"});
  if (selector.match_labels.empty() || random.Chance(20)) {
    selector.match_expressions.push_back(RandomRequirement(random));
  }
  return selector;
}

api::LabelSelector RandomNamespaceSelector(Random& random) {
  api::LabelSelector selector;
  switch (random.Below(5)) {
    case 0:
      break;
    case 1:
      selector.match_labels["env"] = OneOf(random, {"prod", "test"});
      break;
    case 2:
      selector.match_expressions.push_back({"team", "Exists", {}});
      break;
    case 3:
      selector.match_expressions.push_back({"env", "NotIn", {"prod"}});
      break;
    default:
      selector.match_expressions.push_back({"team", "DoesNotExist", {}});
  }
  return selector;
}

}  // namespace berth::generate
