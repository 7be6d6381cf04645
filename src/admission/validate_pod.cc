// Rules for the spec of a pod or of a pod template.
#include <limits>
#include <string_view>

#include "admission/field_errors.h"
#include "admission/names.h"
#include "admission/validate.h"
#include "kinds/json_access.h"

namespace berth::apiserver {

void ValidatePodSpec(const JsonObject* spec, const FieldPath& path, FieldErrors& errors) {
  ValidateContainers(spec, path, errors);
  ValidatePlacement(spec, path, errors);
  const std::string_view restart = StringAt(spec, "restartPolicy");
  if (restart != "Always" && restart != "OnFailure" && restart != "Never") {
    errors.NotSupported(path / "restartPolicy", restart, {"Always", "Never", "OnFailure"});
  }
  const std::string_view dns = StringAt(spec, "dnsPolicy");
  if (dns != "ClusterFirst" && dns != "ClusterFirstWithHostNet" && dns != "Default" &&
      dns != "None") {
    errors.NotSupported(path / "dnsPolicy", dns,
                        {"ClusterFirst", "ClusterFirstWithHostNet", "Default", "None"});
  }
  const std::string_view preemption = StringAt(spec, "preemptionPolicy");
  if (!preemption.empty() && preemption != "Never" && preemption != "PreemptLowerPriority") {
    errors.NotSupported(path / "preemptionPolicy", preemption, {"Never", "PreemptLowerPriority"});
  }
  errors.NonNegative(path / "terminationGracePeriodSeconds",
                     At(spec, "terminationGracePeriodSeconds"));
  if (const auto deadline = IntAt(spec, "activeDeadlineSeconds")) {
    if (*deadline < 1 || *deadline > std::numeric_limits<int32_t>::max()) {
      errors.Invalid(path / "activeDeadlineSeconds", *deadline,
                     "must be between 1 and 2147483647, inclusive");
    }
  }
  for (const std::string_view key : {"hostname", "subdomain"}) {
    const std::string_view name = StringAt(spec, key);
    if (name.empty()) continue;
    if (const auto what = CheckDnsLabel(name)) errors.Invalid(path / key, name, *what);
  }
  const std::string_view account = StringAt(spec, "serviceAccountName");
  if (account.empty()) return;
  if (const auto what = CheckDnsSubdomain(account)) {
    errors.Invalid(path / "serviceAccountName", account, *what);
  }
}

}  // namespace berth::apiserver
