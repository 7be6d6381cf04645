// WhatIf is a series of changes to the objects of an engine's model that are reverted at its end:
// what the engine would decide if they were facts.
//
// Queue and metrics do not notice. While a WhatIf lives, the engine must get no event. A change
// costs as much as the event would, and its reversal the same.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "api/object_fwd.h"
#include "scheduler/engine/engine.h"

namespace berth::scheduler::engine {

// Returns the object of the same kind and key in the model, if there is one.
std::optional<api::Object> FindObject(const model::Cluster& cluster, const api::Object& like);

class WhatIf {
 public:
  // `engine` must outlive this.
  explicit WhatIf(Engine& engine) : engine_(engine) {}
  WhatIf(const WhatIf&) = delete;
  WhatIf& operator=(const WhatIf&) = delete;
  ~WhatIf() { RevertTo(0); }

  // Adds or replaces the object. Does nothing if the model has another pod (by uid) of that name.
  void Put(const api::Object& object);
  // Removes the object. Does nothing for pending pods, which the queue refers to.
  void Delete(const api::Object& object);

  // The number of changes so far, and the reversal of all but the first `size`.
  size_t size() const { return undo_.size(); }
  void RevertTo(size_t size);

 private:
  struct Undo {
    api::Object object;
    bool adds = false;            // Otherwise the reversal removes the object.
    std::string nomination = {};  // Of a pending pod.
  };

  // Sets the object and, for a pending pod, its nominated node.
  void Store(const api::Object& object, const std::string& nomination);
  void Remove(const api::Object& object);
  std::string NominationOf(const api::Object& object) const;

  Engine& engine_;
  std::vector<Undo> undo_;
};

}  // namespace berth::scheduler::engine
