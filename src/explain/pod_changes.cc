#include "explain/pod_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/json/encode.h"
#include "api/json/writer.h"
#include "api/selector.h"
#include "scheduler/model/features.h"

namespace berth::explain {
namespace {

constexpr const char* kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
// The weight of a term that was required: the highest that there is.
constexpr int32_t kPreferred = 100;

Change ForPod(const api::Pod& pod, ChangeKind kind, std::string subject, std::string text) {
  return MakeChange(kind, NameOfPod(pod), std::move(subject), std::move(text));
}

// Tolerations that the API server adds to every pod; a template does not have them.
bool IsDefault(const api::Toleration& toleration) {
  return toleration.toleration_seconds == 300 && toleration.op == "Exists" &&
         toleration.effect == "NoExecute" &&
         (toleration.key == "node.kubernetes.io/not-ready" ||
          toleration.key == "node.kubernetes.io/unreachable");
}

Change Tolerate(const api::Pod& pod, const api::Taint& taint) {
  api::Toleration toleration;
  toleration.key = taint.key;
  toleration.op = taint.value.empty() ? "Exists" : "Equal";
  toleration.value = taint.value;
  toleration.effect = taint.effect;
  Change change = ForPod(pod, ChangeKind::kTolerate, "tolerate " + TextOf(taint),
                         fmt::format("add a toleration for the taint {}", TextOf(taint)));
  change.edit_pod = [toleration](api::Pod& edited) {
    edited.spec.tolerations.push_back(toleration);
  };
  std::vector<api::Toleration> all = pod.spec.tolerations;
  all.push_back(toleration);
  change.patch = {{"add", "/spec/tolerations", TolerationsJson(all)}};
  return change;
}

// Of taints that controllers set, the cause is to be removed, not tolerated.
void AddTolerations(const Obstacle& obstacle, std::vector<Change>& changes) {
  const bool comparisons = obstacle.cluster.features().taint_toleration_comparison_operators;
  for (const api::Taint& taint : obstacle.node.spec.taints) {
    const bool hard = taint.effect == "NoSchedule" || taint.effect == "NoExecute";
    if (!hard || api::ToleratesAny(obstacle.pod.spec.tolerations, taint, comparisons)) continue;
    if (!IsSetByControllers(taint)) changes.push_back(Tolerate(obstacle.pod, taint));
    return;
  }
}

Change DropSelector(const api::Pod& pod, const std::string& key, const std::string& value) {
  Change change = ForPod(pod, ChangeKind::kDropNodeSelector, "nodeSelector " + key,
                         fmt::format("drop {}={} from the nodeSelector", key, value));
  change.edit_pod = [key](api::Pod& edited) { edited.spec.node_selector->erase(key); };
  change.patch = {{"remove", PatchPath({"spec", "nodeSelector", key})}};
  return change;
}

Change DropNodeAffinity(const api::Pod& pod) {
  Change change =
      ForPod(pod, ChangeKind::kDropNodeAffinity, "nodeAffinity", "drop the required node affinity");
  change.amount = 100;  // More than a single expression of it.
  change.edit_pod = [](api::Pod& edited) { edited.spec.affinity->node_affinity->required.reset(); };
  change.patch = {{"remove", PatchPath({"spec", "affinity", "nodeAffinity", kRequired})}};
  return change;
}

Change DropExpression(const api::Pod& pod, size_t term, size_t expression) {
  const api::NodeSelectorRequirement& dropped =
      pod.spec.affinity->node_affinity->required->terms[term].match_expressions[expression];
  Change change = ForPod(pod, ChangeKind::kDropNodeAffinity,
                         fmt::format("nodeAffinity {} {}", term, TextOf(dropped)),
                         fmt::format("drop {} from the required node affinity", TextOf(dropped)));
  change.edit_pod = [term, expression](api::Pod& edited) {
    auto& all = edited.spec.affinity->node_affinity->required->terms[term].match_expressions;
    all.erase(all.begin() + static_cast<ptrdiff_t>(expression));
  };
  change.patch = {{"remove", PatchPath({"spec", "affinity", "nodeAffinity", kRequired,
                                        "nodeSelectorTerms", std::to_string(term),
                                        "matchExpressions", std::to_string(expression)})}};
  return change;
}

bool MatchesNode(const api::NodeSelectorRequirement& requirement, const api::Node& node) {
  const auto compiled = api::CompiledNodeTerm::Make({{requirement}, {}});
  return compiled && compiled->Matches(node.metadata.labels, node.metadata.name);
}

void AddAffinityChanges(const Obstacle& obstacle, std::vector<Change>& changes) {
  const api::PodSpec& spec = obstacle.pod.spec;
  if (spec.node_selector) {
    for (const auto& [key, value] : *spec.node_selector) {
      const auto label = obstacle.node.metadata.labels.find(key);
      if (label != obstacle.node.metadata.labels.end() && label->second == value) continue;
      changes.push_back(DropSelector(obstacle.pod, key, value));
      return;
    }
  }
  if (!spec.affinity || !spec.affinity->node_affinity || !spec.affinity->node_affinity->required ||
      IsDaemon(obstacle.pod)) {
    return;
  }
  const std::vector<api::NodeSelectorTerm>& terms = spec.affinity->node_affinity->required->terms;
  for (size_t t = 0; t < terms.size(); ++t) {
    const auto& expressions = terms[t].match_expressions;
    // A term that loses its last requirement matches no node.
    if (expressions.size() + terms[t].match_fields.size() < 2) continue;
    for (size_t e = 0; e < expressions.size(); ++e) {
      if (MatchesNode(expressions[e], obstacle.node)) continue;
      changes.push_back(DropExpression(obstacle.pod, t, e));
      break;
    }
  }
  changes.push_back(DropNodeAffinity(obstacle.pod));
}

// A port of a container in the manner of the scheduler: which address and protocol it is on.
struct UsedPort {
  int32_t port;
  std::string protocol;
  std::string ip;

  bool Clashes(const UsedPort& other) const {
    return port == other.port && protocol == other.protocol &&
           (ip == other.ip || ip == "0.0.0.0" || other.ip == "0.0.0.0");
  }
};

UsedPort PortOf(const api::ContainerPort& port) {
  return {port.host_port, port.protocol.empty() ? "TCP" : port.protocol,
          port.host_ip.empty() ? "0.0.0.0" : port.host_ip};
}

// Calls visit(container, number of the port, init) for each host port of the pod.
template <typename Visit>
void ForEachHostPort(const api::PodSpec& spec, Visit visit) {
  for (const bool init : {true, false}) {
    const std::vector<api::Container>& containers = init ? spec.init_containers : spec.containers;
    for (size_t c = 0; c < containers.size(); ++c) {
      if (init && containers[c].restart_policy != "Always") continue;
      for (size_t p = 0; p < containers[c].ports.size(); ++p) {
        if (containers[c].ports[p].host_port > 0) visit(init, c, p);
      }
    }
  }
}

const api::Container& ContainerAt(const api::PodSpec& spec, bool init, size_t number) {
  return init ? spec.init_containers[number] : spec.containers[number];
}

Change DropHostPort(const api::Pod& pod, bool init, size_t container, size_t port) {
  const api::Container& owner = ContainerAt(pod.spec, init, container);
  const UsedPort used = PortOf(owner.ports[port]);
  Change change = ForPod(
      pod, ChangeKind::kDropHostPort,
      fmt::format("hostPort {} {} {}", used.port, used.protocol, used.ip),
      fmt::format("drop hostPort {}/{} of container {}", used.port, used.protocol, owner.name));
  change.edit_pod = [=](api::Pod& edited) {
    auto& all = init ? edited.spec.init_containers : edited.spec.containers;
    all[container].ports[port].host_port = 0;
  };
  const std::string list = init ? "initContainers" : "containers";
  const std::string number = std::to_string(container);
  change.patch = {
      {"test", PatchPath({"spec", list, number, "name"}), api::JsonQuoted(owner.name)},
      {"remove", PatchPath({"spec", list, number, "ports", std::to_string(port), "hostPort"})}};
  return change;
}

void AddPortChanges(const Obstacle& obstacle, std::vector<Change>& changes) {
  // With hostNetwork the pod has the ports of the host, whether it names them or not.
  if (obstacle.pod.spec.host_network) return;
  std::vector<UsedPort> taken;
  for (const api::Ref<api::Pod>& pod : PodsOn(obstacle.cluster, obstacle.row)) {
    ForEachHostPort(pod->spec, [&](bool init, size_t container, size_t port) {
      taken.push_back(PortOf(ContainerAt(pod->spec, init, container).ports[port]));
    });
  }
  ForEachHostPort(obstacle.pod.spec, [&](bool init, size_t container, size_t port) {
    const UsedPort wanted = PortOf(ContainerAt(obstacle.pod.spec, init, container).ports[port]);
    const bool clashes =
        std::ranges::any_of(taken, [&](const UsedPort& other) { return other.Clashes(wanted); });
    if (clashes && changes.empty()) {
      changes.push_back(DropHostPort(obstacle.pod, init, container, port));
    }
  });
}

// Moves the term to the preferred ones, with the highest weight.
std::vector<PatchOperation> SoftenPatch(const std::string& field, size_t number, size_t preferred) {
  const std::string list =
      PatchPath({"spec", "affinity", field, "preferredDuringSchedulingIgnoredDuringExecution"});
  std::vector<PatchOperation> patch;
  if (preferred == 0) patch.push_back({"add", list, "[]"});
  patch.push_back({"add", list + "/-", fmt::format("{{\"weight\":{}}}", kPreferred)});
  patch.push_back(
      {.op = "move",
       .path = fmt::format("{}/{}/podAffinityTerm", list, preferred),
       .from = PatchPath({"spec", "affinity", field, kRequired, std::to_string(number)})});
  return patch;
}

void AddTermChanges(const api::Pod& pod, bool anti, std::vector<Change>& changes) {
  const std::optional<api::PodAffinity>& affinity =
      anti ? pod.spec.affinity->pod_anti_affinity : pod.spec.affinity->pod_affinity;
  if (!affinity) return;
  const std::string field = anti ? "podAntiAffinity" : "podAffinity";
  for (size_t i = 0; i < affinity->required.size(); ++i) {
    const api::PodAffinityTerm& term = affinity->required[i];
    const std::string selected =
        term.label_selector ? TextOf(*term.label_selector) : std::string("no pod");
    Change change =
        ForPod(pod, ChangeKind::kSoftenPodAffinity,
               fmt::format("{} {} {}", field, term.topology_key, selected),
               fmt::format("make the pod {} \"{}\" by {} preferred instead of required",
                           anti ? "anti-affinity" : "affinity", selected, term.topology_key));
    change.concerns_replicas = anti;
    change.edit_pod = [anti, i](api::Pod& edited) {
      if (!edited.spec.affinity) return;  // A replica of an older template.
      auto& terms =
          anti ? edited.spec.affinity->pod_anti_affinity : edited.spec.affinity->pod_affinity;
      if (!terms || i >= terms->required.size()) return;
      auto& all = terms->required;
      terms->preferred.push_back({kPreferred, all[i]});
      all.erase(all.begin() + static_cast<ptrdiff_t>(i));
    };
    change.patch = SoftenPatch(field, i, affinity->preferred.size());
    changes.push_back(std::move(change));
  }
}

}  // namespace

std::string TolerationsJson(const std::vector<api::Toleration>& tolerations) {
  api::JsonWriter writer;
  writer.BeginArray();
  for (const api::Toleration& toleration : tolerations) {
    if (IsDefault(toleration)) continue;
    writer.BeginObject();
    const std::pair<const char*, const std::string*> texts[] = {{"key", &toleration.key},
                                                                {"operator", &toleration.op},
                                                                {"value", &toleration.value},
                                                                {"effect", &toleration.effect}};
    for (const auto& [name, text] : texts) {
      if (text->empty()) continue;
      writer.Key(name);
      writer.String(*text);
    }
    if (toleration.toleration_seconds) {
      writer.Key("tolerationSeconds");
      writer.Int(*toleration.toleration_seconds);
    }
    writer.EndObject();
  }
  writer.EndArray();
  return writer.Take();
}

ObjectName NameOfPod(const api::Pod& pod) {
  return {"v1", "Pod", {pod.metadata.namespace_, pod.metadata.name}};
}

std::vector<Change> PodChanges(const Obstacle& obstacle) {
  std::vector<Change> changes;
  if (obstacle.plugin == "TaintToleration") {
    AddTolerations(obstacle, changes);
  } else if (obstacle.plugin == "NodeAffinity") {
    AddAffinityChanges(obstacle, changes);
  } else if (obstacle.plugin == "NodePorts") {
    AddPortChanges(obstacle, changes);
  } else if (obstacle.plugin == "InterPodAffinity" && obstacle.pod.spec.affinity) {
    AddTermChanges(obstacle.pod, false, changes);
    AddTermChanges(obstacle.pod, true, changes);
  }
  return changes;
}

Change RelaxSpread(const api::Pod& pod, size_t number, int32_t max_skew) {
  const api::TopologySpreadConstraint& constraint = pod.spec.topology_spread_constraints[number];
  const std::string place = std::to_string(number);
  const std::string subject = fmt::format("spread {} {}", number, constraint.topology_key);
  if (max_skew > 0) {
    Change change = ForPod(pod, ChangeKind::kRelaxSpread, subject,
                           fmt::format("raise maxSkew of the spread by {} from {} to {}",
                                       constraint.topology_key, constraint.max_skew, max_skew));
    change.amount = max_skew - constraint.max_skew;
    change.edit_pod = [=](api::Pod& edited) {
      edited.spec.topology_spread_constraints[number].max_skew = max_skew;
    };
    change.patch = {{"replace", PatchPath({"spec", "topologySpreadConstraints", place, "maxSkew"}),
                     std::to_string(max_skew)}};
    return change;
  }
  Change change = ForPod(pod, ChangeKind::kRelaxSpread, subject,
                         fmt::format("set whenUnsatisfiable of the spread by {} to ScheduleAnyway",
                                     constraint.topology_key));
  change.amount = INT32_MAX;
  change.edit_pod = [=](api::Pod& edited) {
    api::TopologySpreadConstraint& relaxed = edited.spec.topology_spread_constraints[number];
    relaxed.when_unsatisfiable = "ScheduleAnyway";
    relaxed.min_domains.reset();  // Only allowed with DoNotSchedule.
  };
  change.patch = {{"replace",
                   PatchPath({"spec", "topologySpreadConstraints", place, "whenUnsatisfiable"}),
                   "\"ScheduleAnyway\""}};
  if (constraint.min_domains) {
    change.patch.push_back(
        {"remove", PatchPath({"spec", "topologySpreadConstraints", place, "minDomains"})});
  }
  return change;
}

Change RaisePriority(const api::Pod& pod, int32_t priority, const std::string& priority_class) {
  const bool exists = !priority_class.empty();
  const std::string name = exists ? priority_class : fmt::format("priority-{}", priority);
  Change change =
      ForPod(pod, ChangeKind::kRaisePriority, "priority",
             fmt::format("raise the priority from {} to {} (priorityClassName: {}{})",
                         pod.priority(), priority, name, exists ? "" : ", a new class"));
  change.amount = static_cast<double>(priority) - pod.priority();
  change.concerns_replicas = true;  // They are not preempted by one another.
  change.edit_pod = [=](api::Pod& edited) {
    edited.spec.priority = priority;
    edited.spec.priority_class_name = name;
    edited.spec.preemption_policy = "PreemptLowerPriority";
  };
  change.patch = {{"add", "/spec/priorityClassName", api::JsonQuoted(name)}};
  if (!exists) {
    api::PriorityClass created;
    created.metadata.name = name;
    created.value = priority;
    change.created = {api::EncodeJson(created)};
  }
  return change;
}

}  // namespace berth::explain
