// StatefulSetController runs StatefulSets: pods with numbers, one after another unless they may
// come all at once, each with claims of its own.
#pragma once

#include <map>
#include <string>

#include "localcluster/controller.h"

namespace berth::localcluster {

class StatefulSetController final : public Controller {
 public:
  explicit StatefulSetController(Context& context) : Controller("stateful-sets", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& set) override;

 private:
  struct Plan {
    int64_t start = 0;  // The first number.
    int64_t end = 0;    // The one after the last.
    int64_t partition = 0;
    bool ordered = true;
    bool rolls = true;
    std::string current;  // Names of revisions.
    std::string update;
  };
  using Members = std::map<int64_t, const PodRecord*>;  // By number.

  Plan MakePlan(const JsonObject& document, const Members& members);
  // One step towards the plan: creates what is missing, removes what is too much, replaces what is
  // old. Returns when there is something to wait for.
  void Step(const ObjectName& key, const JsonObject& document, const Plan& plan,
            const Members& members);
  void Remove(const ObjectName& key, const PodRecord& pod);
  void CreatePod(const ObjectName& key, const JsonObject& document, const Plan& plan,
                 int64_t number);
  bool CreateClaims(const ObjectName& key, const JsonObject& document, const std::string& pod);
  void WriteStatus(const ObjectName& key, const JsonObject& document, const Plan& plan,
                   const Members& members);
};

}  // namespace berth::localcluster
