// PodIndex knows all pods as far as controllers look at them often, by name, owner and node.
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

// Amounts by resource: cpu in thousandths, others whole.
using Amounts = std::vector<std::pair<std::string, int64_t>>;
Amounts AmountsOf(const api::ResourceList& list);

// What a kubelet has given a pod that it took in.
struct AllocatedResources {
  Amounts amounts = {};
  std::string address = {};
};

struct PodRecord {
  apiserver::store::ObjectPtr object;
  std::string owner = {};       // The uid of its controller; empty if it has none.
  std::string owner_kind = {};  // "ReplicaSet"
  std::string owner_name = {};
  // The node that a DaemonSet wants it on.
  std::string target = {};
  bool deleting = false;
  bool ready = false;
  bool has_finalizers = false;
  int32_t restarts = 0;
  int32_t deletion_cost = 0;
  Instant created = {};
  Instant ready_since = {};
  // Nothing before its kubelet has taken it in.
  std::optional<AllocatedResources> admitted = {};

  const ObjectName& name() const { return object->key; }
  const std::string& uid() const { return object->uid; }
  const std::string& node() const;
  const std::string& phase() const;
  const std::string& ip() const;
  bool finished() const { return phase() == "Succeeded" || phase() == "Failed"; }
  // It counts as one of its owner's.
  bool active() const { return !deleting && !finished(); }
  // Null if it has no such label.
  const std::string* Label(std::string_view key) const;
};

class PodIndex {
 public:
  struct ByName {
    bool operator()(const PodRecord* a, const PodRecord* b) const { return a->name() < b->name(); }
  };
  using Set = std::set<const PodRecord*, ByName>;

  // Returns what was known of the pod, if anything.
  std::optional<PodRecord> Put(apiserver::store::ObjectPtr object, const api::JsonObject& document);
  std::optional<PodRecord> Remove(const ObjectName& name);
  // What the pod has on its node from now on.
  void Admit(const ObjectName& name, AllocatedResources admission);

  const PodRecord* Find(const ObjectName& name) const;  // Or null.
  // Records stay where they are until their pod changes.
  const Set& OwnedBy(const std::string& uid) const { return Get(by_owner_, uid); }
  const Set& OnNode(const std::string& node) const { return Get(by_node_, node); }
  // Those without a controller.
  const Set& OrphansIn(const std::string& namespace_) const { return Get(orphans_, namespace_); }
  // In the order of their names.
  template <typename Visit>
  void ForEachIn(const std::string& namespace_, Visit visit) const {
    for (auto at = pods_.lower_bound({namespace_, ""});
         at != pods_.end() && at->first.namespace_ == namespace_; ++at) {
      visit(at->second);
    }
  }

  // Entries of all its tables.
  size_t size() const;

 private:
  using Groups = std::unordered_map<std::string, Set>;
  static const Set& Get(const Groups& groups, const std::string& key);
  void Link(const PodRecord& pod);
  void Unlink(const PodRecord& pod);

  std::map<ObjectName, PodRecord> pods_;
  Groups by_owner_;
  Groups by_node_;
  Groups orphans_;
};

// SelectorIndex knows the selectors of a kind's objects, and so which of them want a pod.
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

  // The objects in the pod's namespace whose selector matches it, in order.
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
