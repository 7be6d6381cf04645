// `berth simtest`: runs simulated worlds with faults and checks what must hold in them.
#pragma once

#include <cstddef>
#include <string>

namespace berth::cmd {

struct SimtestOptions {
  std::string seeds;      // "1..2000", or one seed.
  std::string seed_file;  // Seeds to run too, one per line.
  size_t steps = 200;
  bool trace = false;
  bool paranoid = false;
};

// Returns the exit code of the program.
int RunSimtest(const SimtestOptions& options);

}  // namespace berth::cmd
