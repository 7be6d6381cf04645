// `berth up`: a cluster on this machine, with everything in it but containers.
#pragma once

#include "cmd/up_options.h"

namespace berth {

// Runs until SIGINT or SIGTERM comes; the demonstration ends by itself, unless somebody watches it.
// Returns the exit code of the program.
int RunUp(UpOptions options);

}  // namespace berth
