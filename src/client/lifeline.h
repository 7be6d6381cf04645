// Lifeline lets callbacks find out that the object they are for has gone: those that it guards do
// nothing then. A member of that object; callbacks and object live on one thread.
#pragma once

#include <memory>
#include <utility>

namespace berth::client {

class Lifeline {
 public:
  template <typename F>
  auto Guard(F callback) const {
    return [alive = std::weak_ptr<char>(alive_),
            callback = std::move(callback)](auto&&... arguments) mutable {
      if (!alive.expired()) callback(std::forward<decltype(arguments)>(arguments)...);
    };
  }

 private:
  std::shared_ptr<char> alive_ = std::make_shared<char>();
};

}  // namespace berth::client
