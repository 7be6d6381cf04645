// Arbitrary numbers through the rules; see fuzzed_rules.h.
#include <cstddef>
#include <cstdint>

#include "fuzzed_rules.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  berth::CheckRules(data, size);
  return 0;
}
