// `berth schedule`: schedules the pending pods of a cluster described in files.
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
  std::vector<std::string> pods;  // Pods to show; empty: all.
  std::string record_file;        // Recording to write; empty: none.
  uint64_t seed = 0;
  bool explain = false;
  bool paranoid = false;
  bool fail_on_unschedulable = false;
};

// Returns the exit code.
int RunSchedule(const ScheduleOptions& options, const scheduler::framework::Registry& registry);

}  // namespace berth::cmd
