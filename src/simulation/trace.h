// Trace records what happens in a simulation, line by line: it retains the last lines for the
// report of a violation and passes all lines to a listener.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "scheduler/engine/decision.h"
#include "scheduler/engine/events.h"

namespace berth::simulation {

class Trace {
 public:
  using Listener = std::function<void(const std::string&)>;
  // `listener` may be null.
  explicit Trace(Listener listener) : listener_(std::move(listener)) {}

  void Add(std::string line);
  std::vector<std::string> last_lines() const { return {lines_.begin(), lines_.end()}; }

 private:
  static constexpr size_t kMaxLines = 40;

  Listener listener_;
  std::deque<std::string> lines_;
};

// Return one line.
std::string Describe(const scheduler::engine::Event& event);
std::string Describe(const scheduler::framework::ApiWrite& write);
std::string Describe(const scheduler::engine::Decision& decision);

}  // namespace berth::simulation
