#include "scheduler/plugins/dynamic_resources/relevant_pools.h"

#include <algorithm>
#include <utility>

namespace berth::scheduler::plugins {
namespace {

// Reports whether nodes may see the pool or its devices differently.
bool IsOwn(const devices::Pool& pool) {
  return std::ranges::any_of(pool.slices,
                             [](const auto& slice) { return !slice->node_name().empty(); }) ||
         std::ranges::any_of(pool.devices,
                             [](const auto& member) { return member.device->nodes.has_value(); });
}

enum class Match : uint8_t { kNo, kYes, kUnknown };

Match AllMatch(const std::vector<std::shared_ptr<devices::Selector>>& selectors,
               const devices::Device& device, uint64_t& work) {
  for (const auto& selector : selectors) {
    if (selector == nullptr) return Match::kUnknown;
    const auto evaluated = selector->Evaluate({device.look->slot(), device.value()});
    work += evaluated.work;
    if (evaluated.outcome == devices::Selector::Outcome::kNo) return Match::kNo;
    if (evaluated.outcome != devices::Selector::Outcome::kYes) return Match::kUnknown;
  }
  return Match::kYes;
}

}  // namespace

RelevantPools::RelevantPools(const std::vector<model::Devices::CompiledRef>& claims) {
  for (const auto& claim : claims) {
    for (const devices::CompiledRequest& request : claim->requests) {
      for (const devices::CompiledAlternative& alternative : request.alternatives)
        alternatives_.push_back(&alternative);
    }
  }
  is_used_ = alternatives_.size() <= kMaxAlternatives;
}

RelevantPools::PoolsRef RelevantPools::Of(model::NodeRow node, const PoolsRef& pools,
                                          uint64_t& work_left) {
  if (!is_used_ || pools->shareable || pools->error || pools->pools.size() < 2 || work_left == 0)
    return pools;
  if (known_.size() <= node.index()) known_.resize(node.index() + 1);
  Known& known = known_[node.index()];
  if (known.all != pools) known = {pools, Find(pools, work_left)};
  return known.relevant;
}

RelevantPools::PoolsRef RelevantPools::Find(const PoolsRef& pools, uint64_t& work_left) {
  std::vector<std::shared_ptr<const devices::Pool>> relevant;
  for (const auto& pool : pools->pools) {
    if (!pool->usable() || !IsOwn(*pool)) {
      relevant.push_back(pool);
    } else if (MaySelectFrom(*pool, work_left)) {
      return pools;
    }
  }
  // The rest is small, or this is the only node that sees it.
  if (relevant.empty()) return pools;
  std::vector<const devices::Pool*> key;
  for (const auto& pool : relevant) key.push_back(pool.get());
  if (shared_.size() % 64 == 63)
    std::erase_if(shared_, [](const auto& other) { return other.second.expired(); });
  std::weak_ptr<const devices::NodePools>& known = shared_[std::move(key)];
  if (PoolsRef shared = known.lock()) return shared;
  auto made = std::make_shared<devices::NodePools>();
  made->pools = std::move(relevant);
  for (const auto& pool : made->pools) {
    made->has_invalid |= pool->invalid;
    if (!pool->usable()) continue;
    for (const devices::Pool::Member& member : pool->devices)
      made->candidates.push_back({pool.get(), &member});
  }
  known = made;
  return made;
}

bool RelevantPools::MaySelectFrom(const devices::Pool& pool, uint64_t& work_left) const {
  uint64_t work = 0;
  bool may_select = false;
  for (const devices::Pool::Member& member : pool.devices) {
    for (const auto* alternative : alternatives_) {
      ++work;
      Match match = alternative->error
                        ? Match::kUnknown
                        : AllMatch(alternative->class_selectors, *member.device, work);
      if (match == Match::kYes) match = AllMatch(alternative->selectors, *member.device, work);
      may_select |= match != Match::kNo || work > kMaxWork;
      if (may_select) break;
    }
    if (may_select) break;
  }
  work_left -= std::min(work_left, work);
  return may_select;
}

}  // namespace berth::scheduler::plugins
