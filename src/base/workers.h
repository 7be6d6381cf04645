// Workers do one piece of work in parts, side by side.
#pragma once

#include <cstddef>
#include <functional>

namespace berth {

class Workers {
 public:
  virtual ~Workers() = default;
  // How many parts can be done at a time, at least 1.
  virtual size_t count() const = 0;
  // Calls work(0) to work(parts - 1), each once, on whatever thread; returns when all have ended.
  // What the parts write must not overlap. Called on one thread at a time, and not from within.
  virtual void Run(size_t parts, const std::function<void(size_t)>& work) = 0;
};

}  // namespace berth
