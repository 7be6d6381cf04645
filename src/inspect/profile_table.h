// ProfileTable names what the queue and the model number: plugins by slot, and the events that they
// wait for.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "scheduler/engine/engine.h"
#include "scheduler/framework/profile.h"
#include "scheduler/framework/registry.h"
#include "scheduler/queue/queue_entry.h"

namespace berth::inspect {

class ProfileTable {
 public:
  // `options` are those of the engine: slots are then the same.
  static Result<ProfileTable> Make(const scheduler::engine::EngineOptions& options,
                                   const scheduler::framework::Registry& registry);

  std::vector<std::string> scheduler_names() const;
  // Returns the profile of that name; the first one if there is none.
  const scheduler::framework::Profile& Find(const std::string& scheduler_name) const;

  // The names of the plugins in the set, in order; extenders are "extender".
  std::vector<std::string> Plugins(size_t profile, scheduler::framework::PluginMask plugins) const;
  // The events that may make a pod schedulable which these plugins rejected: "Node/Add". Each once.
  std::vector<std::string> Events(size_t profile, scheduler::framework::PluginMask plugins) const;

 private:
  std::vector<std::unique_ptr<scheduler::framework::Profile>> profiles_;
};

}  // namespace berth::inspect
