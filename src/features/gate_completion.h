// Completes the value of --feature-gates in shells.
#pragma once

#include "flags/completer.h"

namespace berth::features {

// Gate=true,Other=false: of the gates that can be switched.
flags::Completer GateSettings();

}  // namespace berth::features
