// The pods of a DaemonSet: where they may run, and how they ask for their node.
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

namespace berth::localcluster {

// Gives the pod the tolerations that all pods of DaemonSets have.
void AddDaemonTolerations(api::JsonObject& pod);
// Makes the pod ask for the node by name, besides whatever it asks for.
void RequireNode(api::JsonObject& pod, std::string_view node);

struct DaemonPodFit {
  bool runs = false;   // A pod should be there.
  bool stays = false;  // One that is there already may stay.
};
// `pod` is one of the DaemonSet's with its tolerations.
DaemonPodFit NodeShouldRunDaemonPod(const api::Pod& pod, const api::Node& node);

// DaemonSetController runs a pod of each DaemonSet on every node that its pods may run on. The
// scheduler places them: each asks for its node by name.
//
// A look at a DaemonSet walks all nodes: changes that come together are looked at together.
class DaemonSetController final : public Controller {
 public:
  explicit DaemonSetController(Context& context) : Controller("daemon-sets", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& set) override;
  size_t index_size() const override { return sets_.size(); }

 private:
  struct View {
    std::string hash;
    std::set<std::string> wanted;  // Nodes that should run a pod.
    std::set<std::string> kept;    // Nodes that keep a pod that is there.
    std::map<std::string, std::vector<const PodRecord*>> pods;  // By node.
  };

  View Look(const apiserver::store::Object& object, const JsonObject& document);
  void Place(const ObjectName& key, const JsonObject& document, const View& view);
  void Replace(const ObjectName& key, const JsonObject& document, const View& view);
  void Remove(const ObjectName& key, const PodRecord& pod);
  void WriteStatus(const ObjectName& key, const JsonObject& document, const View& view);

  std::set<ObjectName> sets_;
};

}  // namespace berth::localcluster
