// What `berth why` is asked about: a pod, or a workload with its pods.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth::cmd {

struct WhySubject {
  std::string kind;         // "Pod", "Deployment"
  std::string api_version;  // "v1", "apps/v1"
  std::string name;
};

// Parses POD or KIND/NAME, with kubectl's names of kinds: pod, deploy, deployments.apps, rs.
Result<WhySubject> ParseWhySubject(std::string_view text);

// Returns the kinds as subjects name them: pod, deployment.
std::vector<std::string> WhySubjectKinds();

}  // namespace berth::cmd
