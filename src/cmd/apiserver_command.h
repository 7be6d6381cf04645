// `berth apiserver`: runs the embedded API server alone.
#pragma once

#include "cmd/served_api.h"

namespace berth {

// Serves until SIGINT or SIGTERM comes. Returns the exit code of the program.
int RunApiServer(const ServedApiOptions& options);

}  // namespace berth
