// HorizontalAutoscaler keeps the targets of HorizontalPodAutoscalers between their minimum and
// maximum size. There are no metrics, since no containers run: the condition ScalingActive says so,
// as in a cluster without a metrics server.
//
// It reacts to changes of autoscalers and their targets; it does not poll.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "localcluster/controller.h"

namespace berth::localcluster {

class HorizontalAutoscaler final : public Controller {
 public:
  explicit HorizontalAutoscaler(Context& context) : Controller("autoscalers", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& key) override;
  size_t index_size() const override { return target_of_.size() + autoscalers_of_.size(); }

 private:
  using Target = std::pair<std::string, ObjectName>;  // The kind and the name.
  struct Decision;

  void Forget(const ObjectName& autoscaler);
  // Decides on the size of the target, which exists.
  void Decide(const JsonObject& document, Decision& decision);
  void Rescale(const JsonObject& document, Decision& decision);
  void Event(const JsonObject& document, EventType type, std::string_view reason,
             std::string message);

  std::map<ObjectName, Target> target_of_;
  std::map<Target, std::set<ObjectName>> autoscalers_of_;
};

}  // namespace berth::localcluster
