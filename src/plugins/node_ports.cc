#include "plugins/node_ports.h"

#include "framework/cycle.h"

namespace berth {
namespace {

struct AnyIp final : ClassState {
  Symbol symbol;
};

bool HasClash(const Cycle& cycle, Symbol any_ip, size_t row) {
  const auto& used = cycle.nodes().info(NodeRow{static_cast<uint32_t>(row)}).used_ports;
  for (const HostPort& wanted : cycle.pod_class().host_ports) {
    for (const HostPort& taken : used) {
      if (Clash(wanted, taken, any_ip)) return true;
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
  return {};
}

Verdict NodePorts::Filter(const Cycle& cycle, NodeMask& nodes) const {
  const Symbol any_ip = cycle.compiled<AnyIp>(*this).symbol;
  nodes.KeepIf([&](size_t row) { return !HasClash(cycle, any_ip, row); });
  return {};
}

Verdict NodePorts::Explain(const Cycle& cycle, NodeRow node) const {
  if (!HasClash(cycle, cycle.compiled<AnyIp>(*this).symbol, node.index())) return {};
  return {Code::kUnschedulable, "node(s) didn't have free ports for the requested pod ports"};
}

}  // namespace berth
