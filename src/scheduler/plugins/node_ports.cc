#include "scheduler/plugins/node_ports.h"

#include <fmt/format.h>

#include <algorithm>

#include "scheduler/framework/cycle.h"
#include "scheduler/model/cluster.h"
#include "scheduler/plugins/changed_object.h"
#include "scheduler/plugins/explanation_text.h"

namespace berth::scheduler::plugins {
namespace {

struct AnyIp final : framework::ClassState {
  explicit AnyIp(SymbolTable& table) : holder(table), symbol(holder.Intern("0.0.0.0")) {}

  SymbolHolder holder;
  const Symbol symbol;
};

// The ports that count as free on the node of a dry run.
struct FreedPorts final : framework::CycleState {
  std::vector<model::HostPort> ports;
  std::unique_ptr<framework::CycleState> Clone() const override {
    return std::make_unique<FreedPorts>(*this);
  }
};

bool HasClash(const framework::Cycle& cycle, Symbol any_ip, size_t row,
              const std::vector<model::HostPort>& freed) {
  const auto& used = cycle.nodes().info(model::NodeRow{static_cast<uint32_t>(row)}).used_ports;
  for (const model::HostPort& wanted : cycle.pod_class().host_ports) {
    for (const model::HostPort& taken : used) {
      if (model::Clash(wanted, taken, any_ip) && std::ranges::count(freed, taken) == 0) return true;
    }
  }
  return false;
}

}  // namespace

std::unique_ptr<framework::ClassState> NodePorts::Compile(model::Cluster& cluster,
                                                          const model::PodClass&) const {
  return std::make_unique<AnyIp>(cluster.mutable_symbols());
}

framework::PreFilterResult NodePorts::PreFilter(framework::Cycle& cycle) const {
  if (cycle.pod_class().host_ports.empty()) return {framework::Verdict::Skip(), {}};
  cycle.SetState(*this, std::make_unique<FreedPorts>());
  return {};
}

void NodePorts::PodAdded(framework::Cycle& cycle, const model::PodRecord& pod,
                         model::NodeRow) const {
  auto& freed = cycle.state<FreedPorts>(*this).ports;
  for (const model::HostPort& port : cycle.cluster().class_of(pod).host_ports)
    std::erase(freed, port);
}

void NodePorts::PodRemoved(framework::Cycle& cycle, const model::PodRecord& pod,
                           model::NodeRow) const {
  auto& freed = cycle.state<FreedPorts>(*this).ports;
  const auto& ports = cycle.cluster().class_of(pod).host_ports;
  freed.insert(freed.end(), ports.begin(), ports.end());
}

framework::Conditions NodePorts::Require(const framework::Cycle&) const {
  return {framework::Opaque{.filter = this, .one_verdict = true}};
}

framework::Verdict NodePorts::FilterNodes(const framework::Cycle& cycle,
                                          model::NodeMask& nodes) const {
  const Symbol any_ip = cycle.compiled<AnyIp>(*this).symbol;
  const auto& freed = cycle.state<FreedPorts>(*this).ports;
  nodes.KeepIf([&](size_t row) { return !HasClash(cycle, any_ip, row, freed); });
  return {};
}

framework::Verdict NodePorts::FilterNode(const framework::Cycle& cycle, model::NodeRow node) const {
  const auto& freed = cycle.state<FreedPorts>(*this).ports;
  if (!HasClash(cycle, cycle.compiled<AnyIp>(*this).symbol, node.index(), freed)) return {};
  return {framework::Code::kUnschedulable,
          "node(s) didn't have free ports for the requested pod ports"};
}

std::string NodePorts::Details(const framework::Cycle& cycle, model::NodeRow node) const {
  const SymbolTable& symbols = cycle.cluster().symbols();
  const Symbol any_ip = cycle.compiled<AnyIp>(*this).symbol;
  for (const model::HostPort& wanted : cycle.pod_class().host_ports) {
    const model::PodRecord* holder =
        FirstPodOn(cycle.cluster(), node, [&](const model::PodRecord& other) {
          const auto& taken = cycle.cluster().class_of(other).host_ports;
          return std::ranges::any_of(taken, [&](const model::HostPort& port) {
            return model::Clash(wanted, port, any_ip);
          });
        });
    if (holder == nullptr) continue;
    const std::string address = wanted.ip == any_ip ? "" : symbols.Text(wanted.ip) + ":";
    return fmt::format("port {}{}/{} is taken by {}", address, wanted.port,
                       symbols.Text(wanted.protocol), holder->key().ToString());
  }
  return "";
}

std::vector<framework::ClusterEventWithHint> NodePorts::EventsToRegister() const {
  return {{{framework::Resource::kPod, framework::kDelete}},
          {{framework::Resource::kNode, framework::kAdd}, /*conditional=*/false}};
}

Result<bool> NodePorts::QueueingHint(const model::Cluster&, const model::PodRecord& pod,
                                     const framework::ClusterEvent& event) const {
  const auto deleted = RemovalOf<api::Pod>(event);
  if (!deleted) return std::unexpected(deleted.error());
  if (!UsesCapacity(**deleted)) return false;
  SymbolTable table;  // The cluster need not know the addresses of a deleted pod.
  SymbolHolder symbols(table);
  const Symbol any_ip = symbols.Intern("0.0.0.0");
  const std::vector<model::HostPort> freed = model::HostPortsOf((*deleted)->spec, symbols);
  const std::vector<model::HostPort> wanted = model::HostPortsOf(pod.object->spec, symbols);
  return std::ranges::any_of(wanted, [&](const model::HostPort& port) {
    return std::ranges::any_of(
        freed, [&](const model::HostPort& other) { return model::Clash(port, other, any_ip); });
  });
}

}  // namespace berth::scheduler::plugins
