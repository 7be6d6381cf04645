// Runs an engine through pods that each bring names, labels, topology keys, selectors and
// namespaces of their own (simulation/churn.h), 200,000 by default, and prints its memory at
// intervals. Fails if it does not end where it began.
//
//   build/release/bench/memory_soak [PODS [NODES]]
#include <fmt/format.h>
#include <malloc.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "simulation/churn.h"

namespace berth::bench {
namespace {

constexpr size_t kReports = 20;
// Half of what one percent of the names would take, had they been retained.
constexpr double kMaxGrowth = 2.0;

struct Memory {
  double allocated = 0;  // By malloc, and not freed.
  double resident = 0;
};

Memory MebibytesNow() {
  malloc_trim(0);
  long size = 0, resident = 0;
  if (FILE* file = std::fopen("/proc/self/statm", "r")) {
    if (std::fscanf(file, "%ld %ld", &size, &resident) != 2) resident = 0;
    std::fclose(file);
  }
  const auto pages = static_cast<double>(resident);
  const struct mallinfo2 info = mallinfo2();
  return {static_cast<double>(info.uordblks + info.hblkhd) / (1 << 20),
          pages * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20)};
}

void Report(size_t pods, const simulation::Churn& churn) {
  const Memory memory = MebibytesNow();
  fmt::print("{:>8} pods, {:>7} bound: {:.1f} MiB allocated, {:.1f} MiB resident; {}\n", pods,
             churn.bound(), memory.allocated, memory.resident,
             simulation::Churn::ToString(churn.counts()));
  std::fflush(stdout);
}

bool Run(size_t pods, size_t nodes) {
  simulation::Churn churn({.nodes = nodes});
  // What is allocated once and for all, such as buffers, is before the beginning.
  for (size_t i = 0; i < pods / 100; ++i) churn.Step();
  churn.Clear();
  const simulation::Churn::Counts counts = churn.counts();
  const Memory before = MebibytesNow();
  Report(0, churn);
  for (size_t done = 0; done < pods;) {
    for (size_t end = done + pods / kReports; done < end; ++done) churn.Step();
    Report(done, churn);
  }
  churn.Clear();
  Report(pods, churn);
  const Memory after = MebibytesNow();
  return churn.counts() == counts && after.allocated - before.allocated < kMaxGrowth;
}

}  // namespace
}  // namespace berth::bench

int main(int argc, char** argv) {
  const size_t pods = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 200'000;
  const size_t nodes = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 500;
  const bool flat = berth::bench::Run(pods, nodes);
  fmt::print("{}\n", flat ? "It ends where it began." : "It does not end where it began.");
  return flat ? 0 : 1;
}
