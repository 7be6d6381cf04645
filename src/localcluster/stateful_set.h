// StatefulSetController runs StatefulSets: pods with ordinals, started in order unless
// podManagementPolicy is Parallel, each with its own volume claims.
#pragma once

#include <map>
#include <string>

#include "localcluster/controller.h"
#include "localcluster/pod_adoption.h"

namespace berth::localcluster {

class StatefulSetController final : public Controller {
 public:
  explicit StatefulSetController(Context& context);

  void Observe(const Change& change) override;
  void Sync(const ObjectName& set) override;
  size_t index_size() const override { return adoption_.size(); }

 private:
  struct Plan {
    int64_t start = 0;  // The first ordinal.
    int64_t end = 0;    // One past the last ordinal.
    int64_t partition = 0;
    bool ordered = true;
    bool rolls = true;
    std::string current;  // Names of ControllerRevisions.
    std::string update;
  };
  using Members = std::map<int64_t, const PodRecord*>;  // By ordinal.

  Plan MakePlan(const JsonObject& document, const Members& members);
  // Takes one step towards the plan: creates missing pods, deletes excess ones, replaces outdated
  // ones. Stops where it must wait for a pod.
  void Step(const ObjectName& key, const JsonObject& document, const Plan& plan,
            const Members& members);
  void Remove(const ObjectName& key, const JsonObject& document, const PodRecord& pod);
  void Record(const JsonObject& document, EventType type, std::string_view reason,
              std::string message);
  void CreatePod(const ObjectName& key, const JsonObject& document, const Plan& plan,
                 int64_t ordinal);
  bool CreateClaims(const ObjectName& key, const JsonObject& document, const std::string& pod);
  void WriteStatus(const ObjectName& key, const JsonObject& document, const Plan& plan,
                   const Members& members);

  PodAdoption adoption_;
};

}  // namespace berth::localcluster
