// What NodeResourcesFit tells users about a node that it rejected.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "framework/cycle.h"
#include "plugins/node_resources_fit.h"
#include "plugins/wording.h"

namespace berth {

std::string NodeResourcesFit::Details(const Cycle& cycle, NodeRow node) const {
  const ResourceVector& wanted = cycle.pod_class().requests;
  const NodeColumns& columns = cycle.nodes().columns();
  const size_t row = node.index();
  std::vector<std::string> texts;
  if (columns.pod_count[row] + 1 > columns.allocatable_pods[row]) {
    texts.push_back(fmt::format("it takes {} and has {}",
                                Counted(columns.allocatable_pods[row], "pod"),
                                columns.pod_count[row]));
  }
  auto check = [&](int64_t request, int64_t allocatable, int64_t requested,
                   const std::string& name) {
    if (request <= 0 || request <= allocatable - requested) return;
    const std::string asked = fmt::format("the pod asks for {} {}", Amount(name, request), name);
    if (request > allocatable) {
      texts.push_back(
          fmt::format("{}, more than the node has: {}", asked, Amount(name, allocatable)));
    } else {
      const int64_t free = std::max<int64_t>(0, allocatable - requested);
      texts.push_back(fmt::format("{}, of which {} of {} are free", asked, Amount(name, free),
                                  Amount(name, allocatable)));
    }
  };
  check(wanted.milli_cpu, columns.allocatable_cpu[row], columns.requested_cpu[row], "cpu");
  check(wanted.memory, columns.allocatable_memory[row], columns.requested_memory[row], "memory");
  check(wanted.ephemeral_storage, columns.allocatable_ephemeral[row],
        columns.requested_ephemeral[row], "ephemeral-storage");
  for (const auto& scalar : wanted.scalars) {
    const std::string& name = cycle.cluster().scalars().Text(scalar.id);
    if (Ignores(name)) continue;
    const auto& column = columns.scalars[scalar.id.index()];
    check(scalar.amount, column.allocatable[row], column.requested[row], name);
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

}  // namespace berth
