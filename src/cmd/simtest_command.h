// `berth simtest`: runs the scheduler in simulated clusters with faults and checks invariants.
#pragma once

#include <cstddef>
#include <string>

namespace berth::cmd {

struct SimtestOptions {
  std::string seeds;      // "1..2000", or one seed.
  std::string seed_file;  // Further seeds, one per line.
  size_t steps = 200;
  bool trace = false;
  bool paranoid = false;
};

// Returns the exit code.
int RunSimtest(const SimtestOptions& options);

}  // namespace berth::cmd
