// What the parser of JSON makes of numbers that no double can hold.
#pragma once

#include "kinds/json.h"

namespace berth::apiserver {

// Whether no number in `document` is infinite or none at all: the parser makes 1e999 and 0e999 so,
// and they could not be written again.
bool HasFiniteNumbers(const Json& document);

}  // namespace berth::apiserver
