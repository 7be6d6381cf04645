// The command line's options of an API server.
#pragma once

#include <CLI/App.hpp>

#include "cmd/served_api.h"

namespace berth {

void AddServedApiOptions(CLI::App& command, ServedApiOptions& options);

}  // namespace berth
