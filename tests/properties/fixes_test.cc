// Fixes of pods that fit nowhere, in random small clusters. Each fix is made in the objects, and a
// new engine schedules the pod: it must be placed, after its victims are gone, and pods that were
// moved must find nodes. Then all sets of changes that are smaller than the smallest fix are tried
// in the same way: none may work. The same for the replicas of workloads, where each fix says how
// many of them it lets run together.
#include "explain/fixes.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/selector.h"
#include "explain/pod_groups.h"
#include "explain/request_changes.h"
#include "scheduler/engine/what_if.h"
#include "scheduler/model/cluster.h"
#include "testing/engine_harness.h"
#include "testing/random_cluster.h"

namespace berth::explain {
namespace BERTH_TEST_FILE {

using scheduler::engine::Decision;

// The objects of a cluster, by kind, namespace and name.
class World {
 public:
  explicit World(const std::vector<api::Object>& objects) {
    for (const api::Object& object : objects) Put(object);
  }
  void Put(const api::Object& object) { objects_.insert_or_assign(NameOf(object), object); }
  void Remove(const api::Object& object) { objects_.erase(NameOf(object)); }
  const api::Object* Find(const api::Object& like) const {
    const auto found = objects_.find(NameOf(like));
    return found == objects_.end() ? nullptr : &found->second;
  }
  const std::map<ObjectName, api::Object>& objects() const { return objects_; }

  template <typename T>
  std::vector<api::Ref<T>> All() const {
    std::vector<api::Ref<T>> all;
    for (const auto& [name, object] : objects_) {
      if (const auto* ref = std::get_if<api::Ref<T>>(&object)) all.push_back(*ref);
    }
    return all;
  }

 private:
  std::map<ObjectName, api::Object> objects_;
};

void MakeChanges(const std::vector<Change>& changes, World& world) {
  for (const Change& change : changes) {
    for (const Change::Edit& edit : change.edits) {
      const api::Object* before = world.Find(edit.like);
      world.Put(edit.apply ? edit.apply(before != nullptr ? *before : edit.like) : edit.like);
    }
    if (change.moves != nullptr) world.Remove(change.moves);
  }
}

// An engine with the objects of a world. Paranoid mode is for other tests: this one makes many.
class FreshEngine {
 public:
  explicit FreshEngine(const World& world) : harness_(Options()) {
    for (const bool pods : {false, true}) {
      for (const auto& [name, object] : world.objects()) {
        if (std::holds_alternative<api::Ref<api::Pod>>(object) != pods) continue;
        harness_.Put(object);
      }
    }
  }

  EngineHarness& harness() { return harness_; }

  // Schedules the pod, and evicts its victims: each takes two writes, the last one follows the
  // others. Returns the node, or an empty text.
  std::string Bind(const api::Ref<api::Pod>& pod) {
    harness_.Put(pod);
    for (int attempt = 0; attempt < 10; ++attempt) {
      harness_.Schedule();
      for (const scheduler::engine::Command& command : harness_.Commands()) {
        if (const auto* remove = std::get_if<scheduler::framework::DeletePod>(&command.write)) {
          const auto id = harness_.cluster().pods().Find(remove->pod.namespace_, remove->pod.name);
          if (id.valid()) harness_.Remove(harness_.cluster().pod(id).object);
        }
        harness_.End(command);
      }
      for (const Decision& decision : harness_.all_decisions()) {
        if (decision.key.name == pod->metadata.name && decision.kind == Decision::Kind::kPlaced) {
          return decision.node;
        }
      }
      EndTerminatingPods();
      harness_.Pass(Duration::Seconds(12));
    }
    return "";
  }

 private:
  static scheduler::engine::EngineOptions Options() {
    scheduler::engine::EngineOptions options;
    options.profiles = {DefaultProfile()};
    return options;
  }

  // Victims may be among them, and are then not evicted again.
  void EndTerminatingPods() {
    std::vector<api::Ref<api::Pod>> terminating;
    harness_.cluster().pods().ForEach([&](const scheduler::model::PodRecord& pod) {
      if (pod.object->metadata.deletion_timestamp) terminating.push_back(pod.object);
    });
    for (const api::Ref<api::Pod>& pod : terminating) harness_.Remove(pod);
  }

  EngineHarness harness_;
};

std::string TextOfFix(const Fix& fix) {
  std::string text;
  for (const Change& change : fix.changes) text += change.text + "; ";
  return text + fix.node;
}

// Only pods that are on nodes: others would be scheduled first, and take what is free.
World WithoutWaiting(const std::vector<api::Object>& objects) {
  World world(objects);
  for (const api::Object& object : objects) {
    const auto* pod = std::get_if<api::Ref<api::Pod>>(&object);
    if (pod != nullptr && (*pod)->spec.node_name.empty()) world.Remove(object);
  }
  return world;
}

// --- all changes that there are, from first principles ---

// A change that may be made, at its most: requests are lowered to a tenth.
struct Option {
  std::string node;  // Empty for changes of the pod.
  std::function<void(api::Pod&)> pod = {};
  std::function<void(World&)> world = {};
  api::Ref<api::Pod> moved = nullptr;
  bool replicas = false;  // The placed replicas of the pod change likewise.
};

// Edits the placed pods of the same ReplicaSet.
void EditReplicas(const api::Pod& pod, const std::function<void(api::Pod&)>& edit, World& world) {
  if (pod.metadata.owner_references.empty()) return;
  for (const auto& other : world.All<api::Pod>()) {
    if (other->metadata.owner_references != pod.metadata.owner_references) continue;
    auto edited = api::CopyToChange(*other);
    edit(*edited);
    world.Put(api::Ref<api::Pod>(edited));
  }
}

std::function<void(World&)> OnNode(const std::string& name,
                                   const std::function<void(api::Node&)>& edit) {
  return [=](World& world) {
    api::Node like;
    like.metadata.name = name;
    const api::Object* before = world.Find(std::make_shared<const api::Node>(like));
    auto after = std::make_shared<api::Node>(*std::get<api::Ref<api::Node>>(*before));
    edit(*after);
    world.Put(api::Ref<api::Node>(after));
  };
}

bool IsHard(const api::Taint& taint) {
  return taint.effect == "NoSchedule" || taint.effect == "NoExecute";
}

void AddTaintOptions(const World& world, const api::Pod& pod, std::vector<Option>& options) {
  std::set<api::Taint> taints{{"node.kubernetes.io/unschedulable", "", "NoSchedule"}};
  for (const auto& node : world.All<api::Node>()) {
    const std::string& name = node->metadata.name;
    if (node->spec.unschedulable) {
      options.push_back(
          {name, {}, OnNode(name, [](api::Node& edited) { edited.spec.unschedulable = false; })});
    }
    for (const api::Taint& taint : node->spec.taints) {
      if (!IsHard(taint) || api::ToleratesAny(pod.spec.tolerations, taint)) continue;
      taints.insert(taint);
      options.push_back({name, {}, OnNode(name, [taint](api::Node& edited) {
                           std::erase(edited.spec.taints, taint);
                         })});
    }
  }
  for (const api::Taint& taint : taints) {
    options.push_back(
        {"", [taint](api::Pod& edited) {
           edited.spec.tolerations.push_back({taint.key, "Equal", taint.value, taint.effect, {}});
         }});
  }
}

void AddAffinityOptions(const api::Pod& pod, std::vector<Option>& options) {
  if (pod.spec.node_selector) {
    for (const auto& [key, value] : *pod.spec.node_selector) {
      options.push_back({"", [key](api::Pod& edited) { edited.spec.node_selector->erase(key); }});
    }
  }
  if (!pod.spec.affinity) return;
  const api::Affinity& affinity = *pod.spec.affinity;
  if (affinity.node_affinity && affinity.node_affinity->required) {
    options.push_back(
        {"", [](api::Pod& edited) { edited.spec.affinity->node_affinity->required.reset(); }});
  }
  // Index by index from the end, so that several can be dropped.
  if (affinity.pod_affinity) {
    for (const api::PodAffinityTerm& term : affinity.pod_affinity->required) {
      options.push_back({"", [term](api::Pod& edited) {
                           std::erase(edited.spec.affinity->pod_affinity->required, term);
                         }});
    }
  }
  if (affinity.pod_anti_affinity) {
    for (const api::PodAffinityTerm& term : affinity.pod_anti_affinity->required) {
      options.push_back({.node = "",
                         .pod =
                             [term](api::Pod& edited) {
                               std::erase(edited.spec.affinity->pod_anti_affinity->required, term);
                             },
                         .world = {},
                         .replicas = true});
    }
  }
}

void AddOtherOptions(const World& world, const api::Pod& pod, std::vector<Option>& options) {
  for (size_t i = 0; i < pod.spec.topology_spread_constraints.size(); ++i) {
    options.push_back({"", [i](api::Pod& edited) {
                         edited.spec.topology_spread_constraints[i].when_unsatisfiable =
                             "ScheduleAnyway";
                       }});
  }
  for (const char* resource :
       {"cpu", "memory", "ephemeral-storage", "example.com/gpu", "hugepages-2Mi"}) {
    const auto requests = api::PodRequests(pod, {});
    const auto found = requests.find(resource);
    if (found == requests.end()) continue;
    const int64_t least = LeastOf(scheduler::model::AmountOf(resource, found->second));
    options.push_back(
        {"", [resource, least](api::Pod& edited) { LowerRequest(edited, resource, least); }});
  }
  if (!pod.spec.host_network) {
    for (size_t c = 0; c < pod.spec.containers.size(); ++c) {
      for (size_t p = 0; p < pod.spec.containers[c].ports.size(); ++p) {
        options.push_back(
            {"", [c, p](api::Pod& edited) { edited.spec.containers[c].ports[p].host_port = 0; }});
      }
    }
  }
  for (const auto& other : world.All<api::Pod>()) {
    if (other->spec.node_name.empty() || other->metadata.deletion_timestamp) continue;
    options.push_back(
        {other->spec.node_name, {}, [other](World& edited) { edited.Remove(other); }, other});
  }
}

std::vector<Option> AllOptions(const World& world, const api::Pod& pod) {
  std::vector<Option> options;
  AddTaintOptions(world, pod, options);
  AddAffinityOptions(pod, options);
  AddOtherOptions(world, pod, options);
  return options;
}

// Reports whether the pod is placed with these changes: on the node that they are about, if they
// are about one.
bool Works(const World& world, const api::Pod& pod, const std::vector<const Option*>& made) {
  World changed = world;
  auto edited = api::CopyToChange(pod);
  std::string node;
  for (const Option* option : made) {
    if (option->pod) option->pod(*edited);
    if (option->replicas) EditReplicas(pod, option->pod, changed);
    if (option->world) option->world(changed);
    if (option->node.empty()) continue;
    if (!node.empty() && node != option->node) return false;
    node = option->node;
  }
  FreshEngine engine(changed);
  const auto explanation =
      Require(engine.harness().engine().Explain(edited, engine.harness().now()));
  if (!explanation.error.empty() || explanation.best_nodes.empty()) return false;
  if (!node.empty()) {
    const auto found = explanation.nodes.find(node);
    if (found == explanation.nodes.end() || !found->second.verdict.ok()) return false;
  }
  const bool moves =
      std::ranges::any_of(made, [](const Option* one) { return one->moved != nullptr; });
  if (!moves) return true;
  if (engine.Bind(edited).empty()) return false;
  for (const Option* option : made) {
    if (option->moved == nullptr) continue;
    auto replacement = api::CopyToChange(*option->moved);
    replacement->metadata.name += "-moved";
    replacement->metadata.uid += "-moved";
    replacement->spec.node_name.clear();
    replacement->status = {};
    EngineHarness& harness = engine.harness();
    const auto preview = Require(harness.engine().Preview(replacement, harness.now()));
    if (preview.kind != Decision::Kind::kPlaced || engine.Bind(replacement).empty()) return false;
  }
  return true;
}

// Calls try_it with all sets of `size` options, until it returns true.
bool AnySet(const std::vector<Option>& options, size_t size, size_t first,
            std::vector<const Option*>& made,
            const std::function<bool(const std::vector<const Option*>&)>& try_it) {
  if (made.size() == size) return try_it(made);
  for (size_t i = first; i < options.size(); ++i) {
    made.push_back(&options[i]);
    const bool found = AnySet(options, size, i + 1, made, try_it);
    made.pop_back();
    if (found) return true;
  }
  return false;
}

bool IsOrdinary(const Fix& fix) {
  return fix.changes[0].kind != ChangeKind::kRaisePriority &&
         fix.changes[0].kind != ChangeKind::kAddNode;
}

struct Tally {
  size_t stuck = 0, fixes = 0, without = 0, sets = 0;
};

void CheckFix(const World& world, const api::Pod& pod, const Fix& fix, const std::string& where) {
  World changed = world;
  MakeChanges(fix.changes, changed);
  FreshEngine engine(changed);
  EXPECT_NE(engine.Bind(Apply(fix.changes, pod)), "") << where;
  for (const Change& change : fix.changes) {
    if (change.moves == nullptr) continue;
    auto replacement = api::CopyToChange(*change.moves);
    replacement->metadata.name += "-moved";
    replacement->metadata.uid += "-moved";
    replacement->spec.node_name.clear();
    replacement->status = {};
    EXPECT_NE(engine.Bind(replacement), "") << where << ": " << change.text;
  }
}

// One more unit, or one less of skew, does not fit.
void CheckAmount(const World& world, const api::Pod& pod, const Fix& fix,
                 const std::string& where) {
  if (fix.changes.size() != 1) return;
  auto greedy = api::CopyToChange(pod);
  if (fix.changes[0].kind == ChangeKind::kRelaxSpread) {
    const auto relaxed = Apply(fix.changes, pod);
    greedy->spec.topology_spread_constraints = relaxed->spec.topology_spread_constraints;
    for (size_t i = 0; i < pod.spec.topology_spread_constraints.size(); ++i) {
      auto& constraint = greedy->spec.topology_spread_constraints[i];
      if (constraint == pod.spec.topology_spread_constraints[i]) continue;
      if (constraint.when_unsatisfiable == "ScheduleAnyway") return;
      --constraint.max_skew;
    }
  } else if (fix.changes[0].kind == ChangeKind::kLowerRequest) {
    const std::string resource = fix.changes[0].subject.substr(std::string("request ").size());
    const auto lowered = Apply(fix.changes, pod);
    const auto total = api::PodRequests(*lowered, {});
    const int64_t target = scheduler::model::AmountOf(resource, total.at(resource));
    LowerRequest(*greedy, resource, target + 1);
    if (greedy->spec == lowered->spec) return;  // Overhead is what remains.
  } else {
    return;
  }
  FreshEngine engine(world);
  EXPECT_TRUE(Require(engine.harness().engine().MightDecide(greedy, ""))) << where;
}

void CheckSeed(uint64_t seed, Tally& tally) {
  ClusterGenerator generator(seed);
  const auto snapshot = generator.Snapshot(2 + seed % 3);
  const World world = WithoutWaiting(ObjectsOf(snapshot));
  for (int i = 0; i < 6; ++i) {
    auto pod = api::CopyToChange(*generator.WaitingPod(snapshot));
    pod->status.nominated_node_name.clear();
    pod->spec.scheduling_gates.clear();
    FreshEngine engine(world);
    EngineHarness& harness = engine.harness();
    const auto preview = Require(harness.engine().Preview(pod, harness.now()));
    if (preview.kind != Decision::Kind::kUnschedulable || !preview.victims.empty()) continue;
    ++tally.stuck;
    const FixReport report =
        Require(FindFixes(harness.engine(), pod, harness.now(), {.max_decisions = 100'000}));
    std::optional<size_t> smallest;
    for (const Fix& fix : report.fixes) {
      const std::string where =
          fmt::format("seed {}, pod {}: {}", seed, pod->metadata.name, TextOfFix(fix));
      ++tally.fixes;
      CheckFix(world, *pod, fix, where);
      CheckAmount(world, *pod, fix, where);
      if (IsOrdinary(fix)) smallest = std::min(smallest.value_or(99), fix.changes.size());
    }
    if (!smallest) ++tally.without;
    EXPECT_TRUE(report.complete) << seed;
    const std::vector<Option> options = AllOptions(world, *pod);
    for (size_t size = 1; size < smallest.value_or(4); ++size) {
      // All sets of three would take too long in most worlds.
      if (size == 3 && options.size() > 20) break;
      std::vector<const Option*> made;
      const bool smaller = AnySet(options, size, 0, made, [&](const auto& all) {
        ++tally.sets;
        return Works(world, *pod, all);
      });
      EXPECT_FALSE(smaller) << "seed " << seed << ", pod " << pod->metadata.name << ": " << size
                            << " changes suffice, but the smallest fix has "
                            << smallest.value_or(0);
    }
  }
}

TEST(FixesPropertyTest, FixesWorkAndNoneAreSmaller) {
  Tally tally;
  for (uint64_t seed = 1; seed <= 60; ++seed) CheckSeed(seed, tally);
  // The worlds are such that there is something to check.
  EXPECT_GT(tally.stuck, 60U);
  EXPECT_GT(tally.fixes, 150U);
  EXPECT_GT(tally.sets, 1'000U);
  RecordProperty("stuck", static_cast<int>(tally.stuck));
  RecordProperty("fixes", static_cast<int>(tally.fixes));
  RecordProperty("without", static_cast<int>(tally.without));
  RecordProperty("sets", static_cast<int>(tally.sets));
}

// --- workloads ---

// Replicas of a random pod.
std::vector<api::Ref<api::Pod>> Replicas(const api::Pod& like, uint64_t seed) {
  std::vector<api::Ref<api::Pod>> replicas;
  for (uint64_t i = 0; i < 2 + seed % 4; ++i) {
    auto replica = api::CopyToChange(like);
    replica->metadata.name = fmt::format("web-{}", i);
    replica->metadata.uid = replica->metadata.name;
    api::OwnerReference owner;
    owner.api_version = "apps/v1";
    owner.kind = "ReplicaSet";
    owner.name = "web";
    owner.uid = "web";
    owner.controller = true;
    replica->metadata.owner_references = {owner};
    replica->status.nominated_node_name.clear();
    replica->spec.scheduling_gates.clear();
    replicas.push_back(std::move(replica));
  }
  return replicas;
}

// Places the pods one after the other, without preemption. Returns those that found no node, and
// puts the others into the world.
std::vector<api::Ref<api::Pod>> PlaceInOrder(const std::vector<api::Ref<api::Pod>>& pods,
                                             World& world) {
  FreshEngine engine(world);
  EngineHarness& harness = engine.harness();
  std::vector<api::Ref<api::Pod>> left;
  for (const api::Ref<api::Pod>& pod : pods) {
    const auto preview = Require(harness.engine().Preview(pod, harness.now()));
    if (preview.kind != Decision::Kind::kPlaced) {
      left.push_back(pod);
      continue;
    }
    auto bound = api::CopyToChange(*pod);
    bound->spec.node_name = preview.node;
    harness.Put(api::Ref<api::Pod>(bound));
    world.Put(api::Ref<api::Pod>(bound));
  }
  return left;
}

// Makes the fix of a group in the world, and counts how many of its pods run then.
size_t CountRunning(const World& world, const std::vector<api::Ref<api::Pod>>& stuck,
                    const Fix& fix) {
  World changed = world;
  for (const Change& change : fix.changes) {
    if (change.concerns_replicas) EditReplicas(*stuck.front(), change.edit_pod, changed);
  }
  MakeChanges(fix.changes, changed);
  std::vector<api::Ref<api::Pod>> edited;
  for (const api::Ref<api::Pod>& pod : stuck) edited.push_back(Apply(fix.changes, *pod));
  return edited.size() - PlaceInOrder(edited, changed).size();
}

void CheckWorkload(uint64_t seed, Tally& tally) {
  ClusterGenerator generator(seed);
  const auto snapshot = generator.Snapshot(2 + seed % 3);
  World world = WithoutWaiting(ObjectsOf(snapshot));
  const auto replicas = Replicas(*generator.WaitingPod(snapshot), seed);
  FreshEngine engine(world);
  EngineHarness& harness = engine.harness();
  for (const api::Ref<api::Pod>& replica : replicas) harness.Put(replica);
  ExplainOptions options;
  options.fix.max_decisions = 100'000;
  options.brief = true;
  PodGrouping grouping(harness.engine(), "default-scheduler", harness.now(), options);
  ASSERT_TRUE(grouping.Add(replicas));
  const std::vector<api::Ref<api::Pod>> stuck = PlaceInOrder(replicas, world);
  for (size_t i = 0; i < grouping.groups().groups.size(); ++i) {
    const PodGroup& group = grouping.groups().groups[i];
    const std::string where =
        fmt::format("seed {}, group {}", seed, group.explanation.sentence.text);
    const auto& decision = group.explanation.decision;
    if (!decision || decision->outcome != Outcome::kUnschedulable) continue;
    ASSERT_EQ(group.pods, stuck.size()) << where;
    ASSERT_TRUE(grouping.FindFixes(i));
    ASSERT_TRUE(group.explanation.fixes) << where;
    ++tally.stuck;
    std::optional<size_t> smallest;
    for (const Fix& fix : group.explanation.fixes->fixes) {
      ++tally.fixes;
      const ChangeKind kind = fix.changes[0].kind;
      if (kind == ChangeKind::kReduceReplicas) continue;
      if (IsOrdinary(fix)) smallest = std::min(smallest.value_or(99), fix.changes.size());
      EXPECT_EQ(fix.of, group.pods) << where;
      EXPECT_GE(fix.runs, 1U) << where << ": " << TextOfFix(fix);
      // Where others are preempted or move, one after the other counts; that is tested for pods.
      const bool alone = fix.victims.empty() && fix.moves.empty();
      if (!alone) continue;
      EXPECT_EQ(fix.runs, CountRunning(world, stuck, fix)) << where << ": " << TextOfFix(fix);
    }
    if (!smallest) ++tally.without;
    EXPECT_TRUE(group.explanation.fixes->complete) << where;
    const std::vector<Option> all = AllOptions(world, *stuck.front());
    for (size_t size = 1; size < smallest.value_or(3); ++size) {
      std::vector<const Option*> made;
      const bool smaller = AnySet(all, size, 0, made, [&](const auto& set) {
        ++tally.sets;
        return Works(world, *stuck.front(), set);
      });
      EXPECT_FALSE(smaller) << where << ": " << size << " changes suffice";
    }
  }
}

TEST(FixesPropertyTest, FixesOfWorkloadsLetAsManyRunAsTheySay) {
  Tally tally;
  for (uint64_t seed = 1; seed <= 200; ++seed) CheckWorkload(seed, tally);
  // The worlds are such that there is something to check.
  EXPECT_GT(tally.stuck, 20U);
  EXPECT_GT(tally.fixes, 100U);
  EXPECT_GT(tally.sets, 300U);
  RecordProperty("stuck", static_cast<int>(tally.stuck));
  RecordProperty("fixes", static_cast<int>(tally.fixes));
  RecordProperty("sets", static_cast<int>(tally.sets));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::explain
