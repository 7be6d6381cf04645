// Planted bugs are detected, each by the invariant that it violates.
#include <gtest/gtest.h>

#include <ostream>
#include <set>
#include <string>

#include "simulation/simulation.h"

namespace berth::simulation {
namespace BERTH_TEST_FILE {

struct PlantedCase {
  const char* name;
  simulation::PlantedBug bug;
  const char* invariant;
};

void PrintTo(const PlantedCase& planted, std::ostream* out) { *out << planted.name; }

class PlantedBugs : public testing::TestWithParam<PlantedCase> {};

std::string NameOf(const testing::TestParamInfo<PlantedCase>& info) { return info.param.name; }

simulation::SimulationReport RunWorld(uint64_t seed, simulation::PlantedBug bug) {
  simulation::SimulationOptions options;
  options.seed = seed;
  options.bug = bug;
  return simulation::Simulate(options);
}

TEST_P(PlantedBugs, AreDetectedByTheirInvariant) {
  constexpr uint64_t kSeeds = 100;
  std::set<std::string> broken;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const simulation::SimulationReport report = RunWorld(seed, GetParam().bug);
    if (!report.broken) continue;
    broken.insert(report.broken->invariant);
    if (report.broken->invariant != GetParam().invariant) continue;
    EXPECT_FALSE(report.last_lines.empty());
    const simulation::SimulationReport healthy = RunWorld(seed, simulation::PlantedBug::kNone);
    EXPECT_FALSE(healthy.broken.has_value()) << "seed " << seed << ": " << healthy.broken->what;
    return;
  }
  FAIL() << "not found in " << kSeeds << " worlds; these were: " << testing::PrintToString(broken);
}

INSTANTIATE_TEST_SUITE_P(
    All, PlantedBugs,
    testing::Values(
        PlantedCase{"LostWakeUp", simulation::PlantedBug::kLostWakeUp,
                    simulation::kNotLeftUnschedulable},
        PlantedCase{"LeakedAssume", simulation::PlantedBug::kLeakedAssume, simulation::kOwners},
        PlantedCase{"SkippedUnreserve", simulation::PlantedBug::kSkippedUnreserve,
                    simulation::kReserve},
        PlantedCase{"DoubleBind", simulation::PlantedBug::kDoubleBind, simulation::kBoundOnce},
        PlantedCase{"WallClockIntervals", simulation::PlantedBug::kWallClockIntervals,
                    simulation::kOnTime},
        PlantedCase{"WriteAfterLoss", simulation::PlantedBug::kWriteAfterLoss,
                    simulation::kOneLeader},
        PlantedCase{"StrictDecoding", simulation::PlantedBug::kStrictDecoding,
                    simulation::kNotLeftUnschedulable},
        PlantedCase{"WrappedSums", simulation::PlantedBug::kWrappedSums, simulation::kNoOvercommit},
        PlantedCase{"StaleNomination", simulation::PlantedBug::kStaleNomination,
                    simulation::kNominations},
        PlantedCase{"DoubleAllocation", simulation::PlantedBug::kDoubleAllocation,
                    simulation::kDevices},
        PlantedCase{"LeakedReservation", simulation::PlantedBug::kLeakedReservation,
                    simulation::kFreed},
        PlantedCase{"LostCounter", simulation::PlantedBug::kLostCounter, simulation::kDevices},
        PlantedCase{"HalfGang", simulation::PlantedBug::kHalfGang, simulation::kGang},
        PlantedCase{"LostGroup", simulation::PlantedBug::kLostGroup, simulation::kGroupProgress}),
    NameOf);

TEST(Simulation, TheSameSeedGivesTheSameWorld) {
  auto lines_of = [](uint64_t seed) {
    std::string lines;
    simulation::SimulationOptions options;
    options.seed = seed;
    options.trace = [&](const std::string& line) { lines += line + "\n"; };
    simulation::Simulate(options);
    return lines;
  };
  for (uint64_t seed = 1; seed <= 10; ++seed) EXPECT_EQ(lines_of(seed), lines_of(seed));
  EXPECT_NE(lines_of(1), lines_of(2));
}

// Worlds in which nothing happens would pass, too.
TEST(Simulation, WorldsAreBusy) {
  size_t placed = 0, binds = 0, victims = 0, restarts = 0, lost_leases = 0, clock_changes = 0;
  size_t allocations = 0, deallocations = 0;
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    const simulation::SimulationReport report = RunWorld(seed, simulation::PlantedBug::kNone);
    placed += report.placed;
    binds += report.binds;
    victims += report.victims;
    restarts += report.restarts;
    lost_leases += report.lost_leases;
    clock_changes += report.clock_changes;
    allocations += report.allocations;
    deallocations += report.deallocations;
  }
  EXPECT_GT(placed, 1000u);
  EXPECT_GT(binds, 800u);
  EXPECT_GT(victims, 30u);
  EXPECT_GT(restarts, 30u);
  EXPECT_GT(lost_leases, 30u);
  EXPECT_GT(clock_changes, 100u);
  EXPECT_GT(allocations, 200u);
  EXPECT_GT(deallocations, 2u);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::simulation
