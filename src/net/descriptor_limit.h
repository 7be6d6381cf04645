// The number of file descriptors that the process may open.
#pragma once

#include <cstddef>

namespace berth::net {

// Raises the limit as far as the process may, up to a number that no cluster needs, since some
// child processes close every possible descriptor at their start. Call it once, at the start.
void RaiseDescriptorLimit();

// Returns the current limit.
size_t DescriptorLimit();

}  // namespace berth::net
