// RelevantPools leaves out a node's own pools from which no request of some claims selects a
// device: nodes that use devices which many share then see the same pools, and one search is enough
// for all of them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "scheduler/devices/pools.h"
#include "scheduler/devices/requests.h"
#include "scheduler/model/device_model.h"
#include "scheduler/model/ids.h"

namespace berth::scheduler::plugins {

class RelevantPools {
 public:
  using PoolsRef = model::Devices::PoolsRef;

  explicit RelevantPools(const std::vector<model::Devices::CompiledRef>& claims);

  // Returns `pools`, which are those of the node, or what is relevant of them; the same object for
  // nodes that then see the same. Cached while the node has the same pools. What evaluating
  // selectors takes is subtracted from `work_left`; if it is used up, nothing is left out.
  PoolsRef Of(model::NodeRow node, const PoolsRef& pools, uint64_t& work_left);

 private:
  // Alternatives of all requests, and the work for one pool: more is not worth the while.
  static constexpr size_t kMaxAlternatives = 8;
  static constexpr uint64_t kMaxWork = 10'000;

  struct Known {
    PoolsRef all, relevant;
  };
  PoolsRef Find(const PoolsRef& pools, uint64_t& work_left);
  bool MaySelectFrom(const devices::Pool& pool, uint64_t& work_left) const;

  std::vector<const devices::CompiledAlternative*> alternatives_;
  bool is_used_;
  std::vector<Known> known_;  // By row.
  std::map<std::vector<const devices::Pool*>, std::weak_ptr<const devices::NodePools>> shared_;
};

}  // namespace berth::scheduler::plugins
