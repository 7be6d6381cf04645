#include "node_price.h"

#include <simdjson.h>

#include <algorithm>
#include <any>
#include <charconv>
#include <utility>

namespace custom {

berth::Result<std::unique_ptr<framework::Plugin>> NodePrice::Make(
    const framework::PluginArgs& args) {
  std::string label = "example.com/price";
  int64_t max_price = 100;
  // The arguments of a plugin from outside the tree are the JSON text of `args`; none if there are
  // none. Any JSON library will do.
  if (const auto* json = std::any_cast<std::string>(&args)) {
    simdjson::dom::parser parser;
    simdjson::dom::object fields;
    if (parser.parse(*json).get(fields) != simdjson::SUCCESS) {
      return berth::Fail("args: must be an object");
    }
    for (const auto& [name, value] : fields) {
      std::string_view text;
      if (name == "label") {
        if (value.get(text) != simdjson::SUCCESS) return berth::Fail("label: must be a string");
        label = text;
      } else if (name == "maxPrice") {
        if (value.get(max_price) != simdjson::SUCCESS || max_price <= 0) {
          return berth::Fail("maxPrice: must be an integer greater than 0");
        }
      } else {
        return berth::Fail("unknown field \"" + std::string(name) + "\"");
      }
    }
  }
  return std::make_unique<NodePrice>(std::move(label), max_price);
}

NodePrice::NodePrice(std::string label, int64_t max_price)
    : label_(std::move(label)), max_price_(max_price) {}

framework::Verdict NodePrice::FilterNode(const framework::Cycle& cycle, model::NodeRow node) const {
  // Preemption does not change a price: kUnschedulableAndUnresolvable keeps it from trying.
  const std::optional<int64_t> price = PriceOf(*cycle.nodes().info(node).object);
  if (!price) {
    return {framework::Code::kUnschedulableAndUnresolvable, "node(s) had no price"};
  }
  if (*price > max_price_) {
    return {framework::Code::kUnschedulableAndUnresolvable, "node(s) were too expensive"};
  }
  return {};
}

int64_t NodePrice::ScoreNode(const framework::Cycle& cycle, model::NodeRow node) const {
  // A Scope::kNode score may be computed before all filters have run: any node may come.
  const int64_t price = PriceOf(*cycle.nodes().info(node).object).value_or(max_price_);
  return kMaxScore * (max_price_ - std::min(price, max_price_)) / max_price_;
}

std::vector<framework::ClusterEventWithHint> NodePrice::EventsToRegister() const {
  return {{{framework::Resource::kNode, framework::kAdd | framework::kUpdateNodeLabel}}};
}

berth::Result<bool> NodePrice::QueueingHint(const model::Cluster&, const model::PodRecord&,
                                            const framework::ClusterEvent& event) const {
  const auto* node = event.AfterAs<api::Node>();
  if (node == nullptr) return berth::Fail("the event has no node");
  const std::optional<int64_t> price = PriceOf(*node);
  return price && *price <= max_price_;
}

std::optional<int64_t> NodePrice::PriceOf(const api::Node& node) const {
  const auto found = node.metadata.labels.find(label_);
  if (found == node.metadata.labels.end()) return std::nullopt;
  const std::string& text = found->second;
  int64_t price = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), price);
  if (error != std::errc() || end != text.data() + text.size() || price < 0) return std::nullopt;
  return price;
}

}  // namespace custom
