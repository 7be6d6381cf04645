// `berth schedule`: places the pending pods of a cluster that is given as files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace berth::scheduler::framework {
class Registry;
}

namespace berth::cmd {

struct ScheduleOptions {
  std::vector<std::string> files;
  std::string config_file;
  std::string output = "table";   // Or json, yaml.
  std::vector<std::string> pods;  // Those to report on; all if empty.
  std::string record_file;        // Where to write a recording of the run; empty for none.
  uint64_t seed = 0;
  bool explain = false;
  bool paranoid = false;
  bool fail_on_unschedulable = false;
};

// Returns the exit code of the program.
int RunSchedule(const ScheduleOptions& options, const scheduler::framework::Registry& registry);

}  // namespace berth::cmd
