// BindingContext is what PreBind, Bind and PostBind plugins work with: the pod, its node, and a way
// to ask for API writes and wait for their result, or for time to pass.
#pragma once

#include "framework/async.h"
#include "framework/cycle.h"

namespace berth {

class BindingContext : public Async {
 public:
  virtual Cycle& cycle() = 0;
  virtual NodeRow node() const = 0;
  // True once a more important pod has taken the room: whoever waits for something should give up.
  virtual bool cancelled() const = 0;
};

}  // namespace berth
