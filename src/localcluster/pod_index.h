// PodIndex holds all pods by name, owner and node, with the fields that controllers read often;
// SelectorIndex finds the workloads whose selector matches a pod.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "api/json/json.h"
#include "api/quantity.h"
#include "api/selector.h"
#include "apiserver/store/stored_object.h"
#include "base/time.h"
#include "localcluster/object_json.h"
#include "localcluster/work_queue.h"

namespace berth::localcluster {

using apiserver::store::ObjectName;

// Amounts by resource: cpu in millicores, others in units.
using Amounts = std::vector<std::pair<std::string, int64_t>>;
Amounts AmountsOf(const api::ResourceList& list);

// A port of its node that a pod uses.
struct HostPort {
  int32_t port = 0;
  std::string protocol = {};
  std::string address = {};  // 0.0.0.0 for all.
};

// What a kubelet allocated to a pod when it admitted it.
struct AllocatedResources {
  Amounts amounts = {};
  std::vector<HostPort> host_ports = {};
  std::string address = {};  // Of the pod.
};

struct PodRecord {
  apiserver::store::ObjectPtr object;
  std::string owner = {};       // The uid of its controller, or "".
  std::string owner_kind = {};  // "ReplicaSet"
  std::string owner_name = {};
  // The node that a DaemonSet requires in its node affinity.
  std::string target = {};
  bool deleting = false;
  bool ready = false;
  bool has_finalizers = false;
  int64_t restarts = 0;
  int32_t deletion_cost = 0;
  // Which of its owner's pods it is, in the order in which they were observed, from 0.
  uint32_t number = 0;
  Instant created = {};
  Instant ready_since = {};
  // When a pod that has finished, or is being deleted, ended.
  Instant ended = {};
  // Unset until its kubelet admits it.
  std::optional<AllocatedResources> admitted = {};

  const ObjectName& name() const { return object->key; }
  const std::string& uid() const { return object->uid; }
  const std::string& node() const;
  const std::string& phase() const;
  const std::string& ip() const;
  bool finished() const { return phase() == "Succeeded" || phase() == "Failed"; }
  // Counts towards its owner's replicas.
  bool active() const { return !deleting && !finished(); }
  // Returns a name that is the same in every run: a generated one is random, so that the pod's
  // number stands for it. "default/web-7d4b9c-#2"
  std::string stable_name(const api::JsonObject& document) const;
  // Returns the label's value, or null.
  const std::string* Label(std::string_view key) const;
};

class PodIndex {
 public:
  struct ByName {
    bool operator()(const PodRecord* a, const PodRecord* b) const { return a->name() < b->name(); }
  };
  using Set = std::set<const PodRecord*, ByName>;

  // Inserts or replaces the pod; returns the previous record, if any. Retains what its kubelet
  // allocated.
  std::optional<PodRecord> Put(apiserver::store::ObjectPtr object, const api::JsonObject& document);
  std::optional<PodRecord> Remove(const ObjectName& name);
  // Records what the pod's kubelet allocated to it.
  void Admit(const ObjectName& name, AllocatedResources allocated);

  const PodRecord* Find(const ObjectName& name) const;  // Or null.
  // Pointers are valid until the pod changes.
  const Set& OwnedBy(const std::string& uid) const { return Get(by_owner_, uid); }
  const Set& OnNode(const std::string& node) const { return Get(by_node_, node); }
  // Returns the pods without a controller.
  const Set& OrphansIn(const std::string& namespace_) const { return Get(orphans_, namespace_); }
  // Visits the pods of the namespace in name order.
  template <typename Visit>
  void ForEachIn(const std::string& namespace_, Visit visit) const {
    for (auto at = pods_.lower_bound({namespace_, ""});
         at != pods_.end() && at->first.namespace_ == namespace_; ++at) {
      visit(at->second);
    }
  }

  // Returns the number of entries in all tables.
  size_t size() const;

 private:
  using Groups = std::unordered_map<std::string, Set>;
  static const Set& Get(const Groups& groups, const std::string& key);
  std::optional<PodRecord> Take(const ObjectName& name);
  void Link(const PodRecord& pod);
  void Unlink(const PodRecord& pod);

  std::map<ObjectName, PodRecord> pods_;
  Groups by_owner_;
  Groups by_node_;
  Groups orphans_;
  // How many pods each owner had, while it has any.
  std::unordered_map<std::string, uint32_t> observed_;
};

// SelectorIndex holds the selectors of all objects of one kind.
class SelectorIndex {
 public:
  void Put(const Kind& kind, const ObjectName& name, const JsonObject& document) {
    selectors_[name] = SelectorOf(kind, document);
  }
  void Remove(const ObjectName& name) { selectors_.erase(name); }
  const api::Selector* Find(const ObjectName& name) const {
    const auto found = selectors_.find(name);
    return found == selectors_.end() ? nullptr : &found->second;
  }

  // Returns the objects in the pod's namespace whose selector matches it, in name order.
  std::vector<ObjectName> Matching(const apiserver::store::Object& pod) const {
    std::vector<ObjectName> found;
    const std::string& namespace_ = pod.key.namespace_;
    for (auto at = selectors_.lower_bound({namespace_, ""});
         at != selectors_.end() && at->first.namespace_ == namespace_; ++at) {
      if (Matches(at->second, pod)) found.push_back(at->first);
    }
    return found;
  }

  size_t size() const { return selectors_.size(); }

 private:
  std::map<ObjectName, api::Selector> selectors_;
};

}  // namespace berth::localcluster
