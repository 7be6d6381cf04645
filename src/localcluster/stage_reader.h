// The strict decoder of the files of `berth up --stages`.
#pragma once

#include <string_view>

#include "base/result.h"
#include "localcluster/pod_stages.h"

namespace berth::localcluster {

// Reads the stages of a YAML or JSON text with any number of documents. Errors name `file`,
// document, stage, field and value, one line each:
//   stages.yaml: document 2: Stage "slow": unknown field "spec.delai": {}; did you mean "delay"?
Result<PodStages> ReadStages(std::string_view text, std::string_view file);

}  // namespace berth::localcluster
