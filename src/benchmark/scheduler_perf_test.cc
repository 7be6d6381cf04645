// kube-scheduler's own workloads, where its files are: below the folder that BERTH_SHARED names, or
// beside the repository. They are not part of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "benchmark/bench_testing.h"
#include "benchmark/perf_config.h"
#include "benchmark/perf_run.h"
#include "scheduler/plugins/in_tree_registry.h"

namespace berth::benchmark {
namespace BERTH_TEST_FILE {

std::vector<std::string> ConfigFiles() {
  const char* const shared = std::getenv("BERTH_SHARED");
  const std::filesystem::path folder =
      std::filesystem::path(shared != nullptr ? shared : BERTH_SOURCE_DIR "/../shared") /
      "scheduler_perf";
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, error)) {
    if (entry.path().filename() == "performance-config.yaml") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

Result<std::string> ReadRealFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return Fail(path + ": No such file or directory");
  return std::string(std::istreambuf_iterator<char>(file), {});
}

std::vector<Workload> WorkloadsOf(const std::string& file) {
  const auto text = ReadRealFile(file);
  const auto workloads = DecodePerfConfig(file, text ? *text : "");
  EXPECT_TRUE(workloads) << workloads.error().message;
  return workloads ? *workloads : std::vector<Workload>();
}

TEST(SchedulerPerf, DecodesAllWorkloads) {
  const std::vector<std::string> files = ConfigFiles();
  if (files.empty()) GTEST_SKIP() << "scheduler_perf's files are not here";
  size_t workloads = 0;
  for (const std::string& file : files) workloads += WorkloadsOf(file).size();
  EXPECT_GT(workloads, 250U);
}

// Those that scheduler_perf itself runs as a test.
TEST(SchedulerPerf, CompletesAllShortWorkloads) {
  const std::vector<std::string> files = ConfigFiles();
  if (files.empty()) GTEST_SKIP() << "scheduler_perf's files are not here";
  Environment environment;
  environment.read_file = ReadRealFile;
  const auto registry = scheduler::plugins::InTreeRegistry();
  size_t measured = 0;
  for (const std::string& file : files) {
    // The suites of the next version are not complete: some templates are missing.
    const bool is_next = file.find("/next/") != std::string::npos;
    for (const Workload& workload : WorkloadsOf(file)) {
      if (!MatchesLabels(workload.labels, "integration-test,short")) continue;
      const PerfRunOptions options{.file = file, .configure = ConfigureForTest};
      const WorkloadReport report = RunPerfWorkload(workload, options, registry, environment);
      const bool is_missing = report.error.find("No such file") != std::string::npos;
      if (is_next && is_missing) continue;
      EXPECT_EQ(report.error, "") << file << ": " << workload.name;
      measured += report.measurements.size();
      if (!report.skipped.empty()) {
        std::cout << "skipped: " << workload.name << ": " << report.skipped << "\n";
      }
    }
  }
  EXPECT_GT(measured, 80U);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::benchmark
