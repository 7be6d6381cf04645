#include "scheduler/plugins/dynamic_resources/allocation_details.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "scheduler/devices/capacity.h"
#include "scheduler/model/device_model.h"
#include "scheduler/plugins/explanation_text.h"

namespace berth::scheduler::plugins {
namespace {

// Claims to name; the others are counted.
constexpr size_t kMaxNamedClaims = 3;

bool MatchesAll(const std::vector<std::shared_ptr<devices::Selector>>& selectors,
                const devices::Device& device) {
  return std::ranges::all_of(selectors, [&](const auto& selector) {
    return selector != nullptr &&
           selector->Evaluate({device.look->slot(), device.value()}).outcome ==
               devices::Selector::Outcome::kYes;
  });
}

// The devices of a node, for one request.
struct Tally {
  size_t devices = 0;
  size_t match = 0;  // The selectors.
  size_t tainted = 0, without_capacity = 0, usable = 0;
  std::vector<const devices::Device*> allocated;
};

class DetailsWriter {
 public:
  DetailsWriter(const framework::Cycle& cycle, const FilterState& state, model::NodeRow node)
      : devices_(cycle.cluster().devices()),
        node_(*cycle.nodes().info(node).object),
        outcome_(state.outcomes->For(cycle.cluster(), node)),
        pools_(outcome_.pools == nullptr ? nullptr : devices_.PoolsOf(node)),
        claims_(state.ToAllocate()),
        input_(state.outcomes->input()) {}

  std::string Write() const {
    if (outcome_.pools == nullptr) return "";
    if (outcome_.kind == NodeOutcome::Kind::kUndecided) {
      return fmt::format(
          "whether the claims can be allocated was not decided within the limit of {} units of "
          "work (filterTimeout): fewer requests, constraints or alternatives are easier",
          outcome_.found.max_work);
    }
    std::vector<std::string> texts;
    for (size_t i = 0; i < claims_.size(); ++i) {
      const bool is_special = i == input_.claims.size();
      const devices::CompiledClaim& compiled =
          is_special ? *outcome_.special->compiled : *input_.claims[i];
      for (const devices::CompiledRequest& request : compiled.requests) {
        if (auto text = ProblemOf(request)) {
          const api::ObjectMeta& meta = claims_[i]->metadata;
          texts.push_back(fmt::format("claim {}/{}, request {}: {}", meta.namespace_, meta.name,
                                      request.name, *text));
        }
      }
    }
    for (const auto& pool : pools_->pools) {
      if (pool->incomplete) texts.push_back(fmt::format("pool {} is incomplete", pool->ToString()));
      if (pool->invalid) {
        texts.push_back(
            fmt::format("pool {} is invalid: {}", pool->ToString(), pool->invalid_reason));
      }
    }
    if (texts.empty()) {
      return "each request alone could be met, but not all of them together: they need the same "
             "devices, counters or attributes";
    }
    return fmt::format("{}", fmt::join(texts, "; "));
  }

 private:
  // Returns why no alternative of the request can be met, even alone.
  std::optional<std::string> ProblemOf(const devices::CompiledRequest& request) const {
    std::vector<std::string> texts;
    for (const devices::CompiledAlternative& alternative : request.alternatives) {
      const Tally tally = Count(alternative);
      const int64_t needed =
          alternative.all_devices ? static_cast<int64_t>(tally.match) : alternative.request->count;
      if (static_cast<int64_t>(tally.usable) >= needed && needed > 0) return std::nullopt;
      std::string text = Describe(alternative, tally);
      if (request.has_alternatives) text = fmt::format("{}: {}", alternative.request->name, text);
      texts.push_back(std::move(text));
    }
    return fmt::format("{}", fmt::join(texts, ", "));
  }

  Tally Count(const devices::CompiledAlternative& alternative) const {
    Tally tally;
    const auto& allocated = devices_.allocated();
    const auto& capacities = alternative.request->capacity_requests;
    for (const devices::NodePools::Candidate& candidate : pools_->candidates) {
      const devices::Device& device = candidate.device();
      if (device.nodes && !device.nodes->Matches(node_).value_or(false)) continue;
      ++tally.devices;
      if (!MatchesAll(alternative.class_selectors, device) ||
          !MatchesAll(alternative.selectors, device)) {
        continue;
      }
      ++tally.match;
      if (!alternative.admin_access && allocated.IsExclusive(device.id)) {
        tally.allocated.push_back(&device);
      } else if (devices_.gates().device_taints &&
                 devices::HasUntoleratedTaint(*device.object, *alternative.request)) {
        ++tally.tainted;
      } else if (!HasCapacity(capacities, device)) {
        ++tally.without_capacity;
      } else {
        ++tally.usable;
      }
    }
    return tally;
  }

  bool HasCapacity(const std::optional<api::QuantityMap>& requests,
                   const devices::Device& device) const {
    if (!devices_.gates().consumable_capacity) return true;
    if (!devices::HasCapacities(requests, *device.object)) return false;
    return std::ranges::all_of(device.object->capacity, [&](const auto& item) {
      const auto& [name, capacity] = item;
      api::Quantity sum =
          devices::ConsumedCapacity(devices::RequestedCapacity(requests, name), capacity);
      if (devices::ViolatesPolicy(sum, capacity)) return false;
      devices_.allocated().AddConsumed(device.id, name, sum);
      return sum <= capacity.value;
    });
  }

  std::string Describe(const devices::CompiledAlternative& alternative, const Tally& tally) const {
    const std::string needs = alternative.all_devices
                                  ? std::string("needs all devices that match")
                                  : "needs " + FormatCount(alternative.request->count, "device");
    if (tally.devices == 0) return needs + ", and the node has none";
    std::vector<std::string> parts = {
        fmt::format("{} of {} on the node match the selectors", tally.match,
                    FormatCount(static_cast<int64_t>(tally.devices), "device"))};
    if (!tally.allocated.empty()) {
      parts.push_back(
          fmt::format("{} of them allocated{}", tally.allocated.size(), Users(tally.allocated)));
    }
    if (tally.tainted > 0)
      parts.push_back(
          fmt::format("{} with taints that the request does not tolerate", tally.tainted));
    if (tally.without_capacity > 0)
      parts.push_back(fmt::format("{} without enough capacity", tally.without_capacity));
    return fmt::format("{}; {}", needs, fmt::join(parts, ", "));
  }

  // " to default/a and default/b", as far as claims are known to have the devices.
  std::string Users(const std::vector<const devices::Device*>& allocated) const {
    std::set<std::pair<std::string, std::string>> wanted;  // Pool of a driver, and device.
    for (const devices::Device* device : allocated) {
      const api::ResourceSlice& slice = device->slice->object();
      wanted.emplace(slice.driver + "/" + slice.pool.name, device->object->name);
    }
    std::vector<api::ObjectKey> users;
    devices_.claims().ForEach([&](const model::ClaimRef& claim) {
      if (!claim->status.allocation) return;
      const bool has_one =
          std::ranges::any_of(claim->status.allocation->results, [&](const auto& result) {
            return wanted.contains({result.driver + "/" + result.pool, result.device});
          });
      if (has_one) users.push_back(model::ClaimKey(*claim));
    });
    if (users.empty()) return "";
    std::ranges::sort(users);
    const size_t more = users.size() - std::min(users.size(), kMaxNamedClaims);
    users.resize(users.size() - more);
    std::vector<std::string> names;
    for (const api::ObjectKey& user : users) names.push_back(user.namespace_ + "/" + user.name);
    std::string text = fmt::format(" to {}", fmt::join(names, ", "));
    if (more > 0)
      text += fmt::format(" and {} more", FormatCount(static_cast<int64_t>(more), "claim"));
    return text;
  }

  const model::Devices& devices_;
  const api::Node& node_;
  const NodeOutcome& outcome_;
  const model::Devices::PoolsRef pools_;  // All of the node.
  const std::vector<const api::ResourceClaim*> claims_;
  const AllocationInput& input_;
};

// The claims that are allocated on other nodes.
std::string UnavailableClaims(const FilterState& state, const api::Node& node) {
  std::vector<std::string> names;
  for (const auto& [index, where] : state.availability) {
    const api::ObjectMeta& meta = state.pod->claims[index].object->metadata;
    if (!where.On(node)) names.push_back(meta.namespace_ + "/" + meta.name);
  }
  if (names.empty()) return "";
  return fmt::format("the devices of {} cannot be used on this node", fmt::join(names, ", "));
}

}  // namespace

std::string AllocationDetails(const framework::Cycle& cycle, const FilterState& state,
                              model::NodeRow node) {
  if (state.has_stale_special_claim)
    return "an earlier attempt has left a claim for the pod's extended resources, which is deleted";
  if (state.outcomes != nullptr && state.outcomes->For(cycle.cluster(), node).rejects())
    return DetailsWriter(cycle, state, node).Write();
  return UnavailableClaims(state, *cycle.nodes().info(node).object);
}

}  // namespace berth::scheduler::plugins
