// What tests/fuzz/rules_fuzz.cc checks, for random bytes.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "fuzz/fuzzed_rules.h"

namespace berth {
namespace BERTH_TEST_FILE {

TEST(Rules, TakeAnyNumbers) {
  for (uint64_t seed = 1; seed <= 500; ++seed) {
    Random random(seed);
    std::vector<uint8_t> bytes(50 + random.Below(800));
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.Next());
    SCOPED_TRACE(seed);
    CheckRules(bytes.data(), bytes.size());
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth
