// NodePrice is an example of a plugin: it keeps pods off expensive nodes and prefers cheap ones.
//
// The price of a node is a number in a label. Arguments in pluginConfig, both optional:
//   label: example.com/price   the label with the price
//   maxPrice: 100              the highest price at which a node is used
#pragma once

#include <berth/plugin.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace custom {

namespace api = berth::api;
namespace framework = berth::scheduler::framework;
namespace model = berth::scheduler::model;

class NodePrice final : public framework::NodeFilter, public framework::NodeScorer {
 public:
  static constexpr std::string_view kName = "NodePrice";

  // The factory for Registry::Add. Fails if the arguments are invalid.
  static berth::Result<std::unique_ptr<framework::Plugin>> Make(const framework::PluginArgs& args);

  NodePrice(std::string label, int64_t max_price);

  std::string_view name() const override { return kName; }

  // Filter: rejects nodes without a price, and those above the maximum.
  framework::Verdict FilterNode(const framework::Cycle& cycle, model::NodeRow node) const override;

  // Score: 100 for a node that costs nothing, 0 for one at the maximum.
  int64_t ScoreNode(const framework::Cycle& cycle, model::NodeRow node) const override;

  // Both depend on the node alone, so the framework caches them until the node changes.
  framework::Reads reads() const override { return framework::Reads::kNodeAlone; }
  framework::Scope score_scope() const override { return framework::Scope::kNode; }

  // A rejected pod is tried again when a node is added, or its labels change, and it is affordable.
  std::vector<framework::ClusterEventWithHint> EventsToRegister() const override;
  berth::Result<bool> QueueingHint(const model::Cluster& cluster, const model::PodRecord& pod,
                                   const framework::ClusterEvent& event) const override;

 private:
  // Returns nothing if the node has no price, or one that is not a number of at least 0.
  std::optional<int64_t> PriceOf(const api::Node& node) const;

  const std::string label_;
  const int64_t max_price_;
};

}  // namespace custom
