#include "scheduler/framework/registry.h"

#include "base/check.h"

namespace berth::scheduler::framework {

void Registry::Add(std::string_view name, PluginFactory factory) {
  const bool added = factories_.emplace(name, std::move(factory)).second;
  CHECK(added);
}

const PluginFactory* Registry::Find(std::string_view name) const {
  auto found = factories_.find(name);
  return found == factories_.end() ? nullptr : &found->second;
}

}  // namespace berth::scheduler::framework
