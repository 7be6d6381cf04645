#include "plugins/node_ports.h"

#include <fmt/format.h>

#include <algorithm>

#include "framework/cycle.h"
#include "plugins/hints.h"
#include "plugins/wording.h"

namespace berth {
namespace {

struct AnyIp final : ClassState {
  Symbol symbol;
};

// The ports that count as free on the node that is being tried out.
struct FreedPorts final : CycleState {
  std::vector<HostPort> ports;
  std::unique_ptr<CycleState> Clone() const override { return std::make_unique<FreedPorts>(*this); }
};

bool HasClash(const Cycle& cycle, Symbol any_ip, size_t row, const std::vector<HostPort>& freed) {
  const auto& used = cycle.nodes().info(NodeRow{static_cast<uint32_t>(row)}).used_ports;
  for (const HostPort& wanted : cycle.pod_class().host_ports) {
    for (const HostPort& taken : used) {
      if (Clash(wanted, taken, any_ip) && std::ranges::count(freed, taken) == 0) return true;
    }
  }
  return false;
}

}  // namespace

std::unique_ptr<const ClassState> NodePorts::Compile(Cluster& cluster, const PodClass&) const {
  auto state = std::make_unique<AnyIp>();
  state->symbol = cluster.mutable_symbols().Intern("0.0.0.0");
  return state;
}

PreFilterResult NodePorts::PreFilter(Cycle& cycle) const {
  if (cycle.pod_class().host_ports.empty()) return {Verdict::Skip(), {}};
  cycle.SetState(*this, std::make_unique<FreedPorts>());
  return {};
}

void NodePorts::PodAdded(Cycle& cycle, const PodRecord& pod, NodeRow) const {
  auto& freed = cycle.state<FreedPorts>(*this).ports;
  for (const HostPort& port : cycle.cluster().class_of(pod).host_ports) std::erase(freed, port);
}

void NodePorts::PodRemoved(Cycle& cycle, const PodRecord& pod, NodeRow) const {
  auto& freed = cycle.state<FreedPorts>(*this).ports;
  const auto& ports = cycle.cluster().class_of(pod).host_ports;
  freed.insert(freed.end(), ports.begin(), ports.end());
}

Verdict NodePorts::Filter(const Cycle& cycle, NodeMask& nodes) const {
  const Symbol any_ip = cycle.compiled<AnyIp>(*this).symbol;
  nodes.KeepIf([&](size_t row) { return !HasClash(cycle, any_ip, row, {}); });
  return {};
}

Verdict NodePorts::Explain(const Cycle& cycle, NodeRow node) const {
  const auto& freed = cycle.state<FreedPorts>(*this).ports;
  if (!HasClash(cycle, cycle.compiled<AnyIp>(*this).symbol, node.index(), freed)) return {};
  return {Code::kUnschedulable, "node(s) didn't have free ports for the requested pod ports"};
}

std::string NodePorts::Details(const Cycle& cycle, NodeRow node) const {
  const SymbolTable& symbols = cycle.cluster().symbols();
  const Symbol any_ip = cycle.compiled<AnyIp>(*this).symbol;
  for (const HostPort& wanted : cycle.pod_class().host_ports) {
    const PodRecord* holder = FirstPodOn(cycle.cluster(), node, [&](const PodRecord& other) {
      const auto& taken = cycle.cluster().class_of(other).host_ports;
      return std::ranges::any_of(taken,
                                 [&](const HostPort& port) { return Clash(wanted, port, any_ip); });
    });
    if (holder == nullptr) continue;
    const std::string address = wanted.ip == any_ip ? "" : symbols.Text(wanted.ip) + ":";
    return fmt::format("port {}{}/{} is taken by {}", address, wanted.port,
                       symbols.Text(wanted.protocol), holder->key().ToString());
  }
  return "";
}

std::vector<Interest> NodePorts::Interests() const {
  return {{{Resource::kPod, kDelete}}, {{Resource::kNode, kAdd}, /*conditional=*/false}};
}

Result<bool> NodePorts::MayHelp(const Cluster&, const PodRecord& pod,
                                const ClusterEvent& event) const {
  const auto deleted = RemovalOf<api::Pod>(event);
  if (!deleted) return std::unexpected(deleted.error());
  if (!TakesRoom(**deleted)) return false;
  SymbolTable symbols;  // The cluster need not know the addresses of a pod that is gone.
  const Symbol any_ip = symbols.Intern("0.0.0.0");
  const std::vector<HostPort> freed = HostPortsOf((*deleted)->spec, symbols);
  const std::vector<HostPort> wanted = HostPortsOf(pod.object->spec, symbols);
  return std::ranges::any_of(wanted, [&](const HostPort& port) {
    return std::ranges::any_of(freed,
                               [&](const HostPort& other) { return Clash(port, other, any_ip); });
  });
}

}  // namespace berth
