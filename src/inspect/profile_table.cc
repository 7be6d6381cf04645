#include "inspect/profile_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "scheduler/framework/cluster_event.h"
#include "scheduler/framework/extender.h"
#include "scheduler/queue/queueing_hints.h"

namespace berth::inspect {
namespace {

using scheduler::framework::Actions;
using scheduler::framework::EventType;
using scheduler::framework::PluginMask;

// Appends "Node/Add" for each action of the type, unless it is there.
void AppendEventNames(EventType type, std::vector<std::string>& out) {
  const auto add = [&](std::string name) {
    if (std::ranges::find(out, name) == out.end()) out.push_back(std::move(name));
  };
  if (type.wildcard()) return add("any event");
  const std::string_view resource = ToString(type.resource);
  Actions rest = type.actions;
  const bool any_update = (rest & scheduler::framework::kUpdate) == scheduler::framework::kUpdate;
  if (any_update) rest &= static_cast<Actions>(~scheduler::framework::kUpdate);
  for (unsigned bit = 1; bit <= scheduler::framework::kAllActions; bit <<= 1) {
    if ((rest & bit) == 0) continue;
    add(fmt::format("{}/{}", resource, scheduler::framework::NameOf(static_cast<Actions>(bit))));
  }
  if (any_update) add(fmt::format("{}/Update", resource));
}

}  // namespace

Result<ProfileTable> ProfileTable::Make(const scheduler::engine::EngineOptions& options,
                                        const scheduler::framework::Registry& registry) {
  ProfileTable table;
  for (const scheduler::framework::ProfileConfig& config : options.profiles) {
    auto profile = scheduler::framework::Profile::Build(config, registry);
    if (!profile) return std::unexpected(profile.error());
    table.profiles_.push_back(*std::move(profile));
  }
  return table;
}

std::vector<std::string> ProfileTable::scheduler_names() const {
  std::vector<std::string> names;
  for (const auto& profile : profiles_) names.push_back(profile->scheduler_name());
  return names;
}

const scheduler::framework::Profile& ProfileTable::Find(const std::string& scheduler_name) const {
  for (const auto& profile : profiles_) {
    if (profile->scheduler_name() == scheduler_name) return *profile;
  }
  return *profiles_.front();
}

std::vector<std::string> ProfileTable::Plugins(size_t profile, PluginMask plugins) const {
  std::vector<std::string> names;
  for (const auto& plugin : profiles_[profile]->plugins()) {
    if ((plugins >> plugin->slot() & 1) != 0) names.emplace_back(plugin->name());
  }
  if ((plugins & scheduler::queue::Rejectors::kExtender) != 0) {
    names.emplace_back(scheduler::framework::kExtenderPlugin);
  }
  return names;
}

std::vector<std::string> ProfileTable::Events(size_t profile, PluginMask plugins) const {
  const scheduler::queue::QueueingHintMap hints(*profiles_[profile]);
  std::vector<std::string> names;
  for (const auto& registration : hints.registrations()) {
    if ((plugins >> registration.plugin->slot() & 1) == 0) continue;
    AppendEventNames(registration.event.type, names);
  }
  return names;
}

}  // namespace berth::inspect
