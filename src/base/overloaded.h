// Overloaded is a visitor for std::visit made of lambdas, one per alternative.
#pragma once

namespace berth {

template <typename... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};

}  // namespace berth
