// DaemonSetController runs one pod of each DaemonSet on every eligible node; the functions before
// it say which nodes are eligible and how pods are pinned to them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/json.h"
#include "api/node.h"
#include "api/pod.h"
#include "localcluster/controller.h"
#include "localcluster/pod_adoption.h"

namespace berth::localcluster {

// Adds the tolerations that all DaemonSet pods have.
void AddDaemonTolerations(api::JsonObject& pod);
// Restricts the pod's node affinity to the named node, in addition to its other requirements.
void RequireNode(api::JsonObject& pod, std::string_view node);

struct DaemonPodFit {
  bool should_run = false;
  bool should_continue_running = false;  // A pod that is already there may stay.
};
// Evaluates node affinity and taints as kube-controller-manager does. `pod` is one of the
// DaemonSet's, with its tolerations.
DaemonPodFit NodeShouldRunDaemonPod(const api::Pod& pod, const api::Node& node);

// DaemonSetController creates the pods; the scheduler places them, as each one's node affinity
// names its node. A sync iterates over all nodes; changes that arrive together are synced together.
class DaemonSetController final : public Controller {
 public:
  explicit DaemonSetController(Context& context) : Controller("daemon-sets", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& set) override;
  size_t index_size() const override { return sets_.size() + adoption_.size(); }

 private:
  struct View {
    std::string hash;
    std::set<std::string> should_run;                           // Names of nodes.
    std::set<std::string> should_continue_running;              // Names of nodes.
    std::map<std::string, std::vector<const PodRecord*>> pods;  // By node.
  };

  View ReadView(const apiserver::store::Object& object, const JsonObject& document);
  // Creates missing pods and deletes failed, duplicate and misplaced ones.
  void ManagePods(const ObjectName& key, const JsonObject& document, const View& view);
  // Deletes outdated pods as far as the update strategy allows.
  void RollingUpdate(const ObjectName& key, const JsonObject& document, const View& view);
  void Remove(const ObjectName& key, const JsonObject& document, const PodRecord& pod);
  void Record(const JsonObject& document, EventType type, std::string_view reason,
              std::string message);
  void WriteStatus(const ObjectName& key, const JsonObject& document, const View& view);

  PodAdoption adoption_{DaemonSets()};
  std::set<ObjectName> sets_;
};

}  // namespace berth::localcluster
