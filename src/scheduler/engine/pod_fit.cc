#include "scheduler/engine/pod_fit.h"

#include <algorithm>
#include <utility>

#include "scheduler/framework/attempt.h"
#include "scheduler/model/cluster.h"

namespace berth::scheduler::engine {
namespace {

bool IsExcluded(const framework::Attempt& attempt, Symbol node) {
  const std::optional<std::vector<Symbol>>& only = attempt.restriction();
  return only && std::ranges::find(*only, node) == only->end();
}

NodeFit EvaluateNode(framework::Attempt& attempt, model::NodeRow row) {
  const model::NodeTable& nodes = attempt.cluster().nodes();
  NodeFit fit;
  fit.node = nodes.name(row);
  if (IsExcluded(attempt, nodes.info(row).name)) {
    for (const std::string& plugin : attempt.restricted_by()) {
      fit.rejections.push_back(
          framework::Verdict(framework::Code::kUnschedulableAndUnresolvable).By(plugin));
    }
  }
  for (framework::Verdict& verdict : attempt.AllRejections(row)) {
    fit.rejections.push_back(std::move(verdict));
  }
  fit.fits = fit.rejections.empty() && attempt.FilterNode(row).ok();
  return fit;
}

}  // namespace

PodFit EvaluateNodes(framework::Attempt& attempt, std::span<const std::string> nodes, Instant now) {
  const model::Cluster& cluster = attempt.cluster();
  const model::NodeTable& table = cluster.nodes();
  PodFit fit;
  attempt.cycle().set_date(now);
  fit.pre_filter = attempt.PreFilter();
  if (!fit.pre_filter.ok()) {
    // Plugins that exclude each other's nodes reject the pod together.
    if (fit.pre_filter.plugin().empty() && !attempt.restricted_by().empty()) {
      fit.pre_filter = std::move(fit.pre_filter).By(attempt.restricted_by().front());
    }
    return fit;
  }
  if (nodes.empty()) {
    table.present().ForEach([&](size_t row) {
      fit.nodes.push_back(EvaluateNode(attempt, model::NodeRow{static_cast<uint32_t>(row)}));
    });
  }
  for (const std::string& name : nodes) {
    const model::NodeRow row = table.Find(cluster.symbols().Find(name));
    if (row.valid() && table.present().Test(row.index())) {
      fit.nodes.push_back(EvaluateNode(attempt, row));
    }
  }
  return fit;
}

}  // namespace berth::scheduler::engine
