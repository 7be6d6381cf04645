#include "scheduler/framework/search_rules.h"

#include "scheduler/model/key_writer.h"

namespace berth::scheduler::framework {
namespace {

// Reports whether dividing nodes may cost less than looking at them one by one: there are few
// domains, with many nodes each.
bool IsWorthDividing(const model::Topology::Key& key) {
  constexpr size_t kMaxDomains = 1024;
  constexpr size_t kManyNodes = 64;
  return key.domains().size() < kMaxDomains &&
         key.node_count() >= kManyNodes * key.domains().size();
}

}  // namespace

bool SearchRules::DivideBy(const model::Topology::KeyRef& topology_key,
                           const SymbolTable& symbols) {
  if (division) return division->domains == topology_key;
  if (!IsWorthDividing(*topology_key)) return false;
  division.emplace().domains = topology_key;
  // Other parts of such keys begin with the slot of a plugin.
  constexpr size_t kNoSlot = SIZE_MAX;
  model::KeyWriter(division->key).PutAll(kNoSlot, symbols.Text(topology_key->label()));
  return true;
}

}  // namespace berth::scheduler::framework
