// berth schedule --record and berth replay: a recorded run replays identically.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include "berth_process_testing.h"
#include "scheduler/recording/recording_testing.h"

namespace berth::cli {
namespace BERTH_TEST_FILE {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class ReplayTest : public ::testing::Test {
 protected:
  // Records the examples and returns the path of the recording.
  std::string RecordRun() {
    const std::string path = files_.path("run.berth");
    const ProcessResult ended =
        RunBerth({"schedule", "-f", BERTH_SOURCE_DIR "/examples/harbour.yaml", "-f",
                  BERTH_SOURCE_DIR "/examples/pods.yaml", "--seed", "3", "--record", path});
    EXPECT_EQ(ended.code, 0) << ended.err;
    return path;
  }

  const TemporaryDirectory files_;
};

TEST_F(ReplayTest, IsIdentical) {
  const ProcessResult ended = RunBerth({"replay", "--paranoid", RecordRun()});
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr(" decisions, 9 pods scheduled, "));
  EXPECT_THAT(ended.out, HasSubstr("\nidentical\n"));
  EXPECT_EQ(ended.err, "");
}

TEST_F(ReplayTest, ReadsStandardInput) {
  RecordRun();
  const ProcessResult ended = RunBerth({"replay", "-"}, files_.Read("run.berth"));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("\nidentical\n"));
}

TEST_F(ReplayTest, PrintsTheAttemptsOfAPod) {
  const std::string path = RecordRun();
  const ProcessResult placed = RunBerth({"replay", path, "--attempts", "shop/web-1"});
  EXPECT_EQ(placed.code, 0) << placed.err;
  EXPECT_THAT(placed.out, AllOf(StartsWith("attempt 1, 20"), HasSubstr(": bound to "),
                                HasSubstr("; woken by UnschedulablePodAdd, waited "),
                                HasSubstr("\n  candidates: "), HasSubstr("\nidentical\n")));
  const ProcessResult rejected = RunBerth({"replay", path, "--attempts", "research/simulation"});
  EXPECT_THAT(rejected.out, AllOf(StartsWith("attempt 1, 20"), HasSubstr(": unschedulable; "),
                                  HasSubstr(" nodes: NodeResourcesFit: Insufficient ")));
  const ProcessResult unknown = RunBerth({"replay", path, "--attempts", "shop/nobody"});
  EXPECT_THAT(unknown.out, StartsWith("shop/nobody: no attempts\n"));
  const ProcessResult wrong = RunBerth({"replay", path, "--attempts", "web-1"});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_EQ(wrong.err, "berth replay: --attempts web-1: must be NAMESPACE/NAME\n");
}

TEST_F(ReplayTest, RecordingChangesNothing) {
  const ProcessResult plain = RunBerth({"schedule", "-f", BERTH_SOURCE_DIR "/examples/harbour.yaml",
                                        "-f", BERTH_SOURCE_DIR "/examples/pods.yaml"});
  const ProcessResult recorded =
      RunBerth({"schedule", "-f", BERTH_SOURCE_DIR "/examples/harbour.yaml", "-f",
                BERTH_SOURCE_DIR "/examples/pods.yaml", "--record", files_.path("run.berth")});
  EXPECT_EQ(plain.out, recorded.out);
}

TEST_F(ReplayTest, RunsWithTheRecordedConfiguration) {
  const std::string config =
      files_.Write("c.yaml",
                   "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
                   "profiles: [{pluginConfig: [{name: NodeResourcesFit, args: {scoringStrategy: "
                   "{type: MostAllocated, resources: [{name: cpu, weight: 1}]}}}]}]\n");
  const std::string path = files_.path("run.berth");
  const ProcessResult scheduled =
      RunBerth({"schedule", "-f", BERTH_SOURCE_DIR "/examples/harbour.yaml", "-f",
                BERTH_SOURCE_DIR "/examples/pods.yaml", "--config", config, "--record", path});
  ASSERT_EQ(scheduled.code, 0) << scheduled.err;
  const ProcessResult ended = RunBerth({"replay", path});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
}

TEST_F(ReplayTest, RunsWithTheRecordedFeatureGates) {
  const std::string cluster = files_.Write(
      "cluster.yaml",
      "{apiVersion: v1, kind: Node, metadata: {name: n1}, spec: {taints: [{key: cost, value: '5', "
      "effect: NoSchedule}]}, status: {allocatable: {cpu: 4}}}\n---\n"
      "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: c, image: "
      "i}], tolerations: [{key: cost, operator: Lt, value: '10'}]}}\n");
  const std::string path = files_.path("run.berth");
  const ProcessResult scheduled =
      RunBerth({"schedule", "-f", cluster, "--feature-gates",
                "TaintTolerationComparisonOperators=true,SchedulerPopFromBackoffQ=false",
                "--record", path, "--fail-on-unschedulable"});
  ASSERT_EQ(scheduled.code, 0) << scheduled.out << scheduled.err;
  const ProcessResult ended = RunBerth({"replay", path});
  EXPECT_EQ(ended.code, 0) << ended.out << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("1 pods scheduled"));
  EXPECT_EQ(RunBerth({"schedule", "-f", cluster, "--fail-on-unschedulable"}).code, 3);
}

TEST_F(ReplayTest, ReportsATruncatedTailAndReplaysTheRest) {
  RecordRun();
  const std::string bytes = files_.Read("run.berth");
  const std::string path = files_.Write("cut.berth", bytes.substr(0, bytes.size() - 11));
  const ProcessResult ended = RunBerth({"replay", path});
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.err, StartsWith("berth replay: " + path + ": cut off after record "));
  EXPECT_THAT(ended.out, HasSubstr("9 pods scheduled"));
  EXPECT_THAT(ended.out, HasSubstr("\nidentical up to that point\n"));
}

TEST_F(ReplayTest, ReportsDamage) {
  RecordRun();
  std::string bytes = files_.Read("run.berth");
  bytes[bytes.size() - 30] ^= 4;
  const std::string path = files_.Write("damaged.berth", bytes);
  const ProcessResult ended = RunBerth({"replay", path});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err, StartsWith("berth replay: " + path + ": damaged at record "));
}

TEST_F(ReplayTest, ReportsTheFirstDecisionThatDiffers) {
  RecordRun();
  const auto reader = scheduler::recording::MustOpen(files_.Read("run.berth"));
  std::vector<scheduler::recording::Record> records = scheduler::recording::AllRecords(*reader);
  for (scheduler::recording::Record& record : records) {
    auto* decided = std::get_if<scheduler::recording::DecisionsRecord>(&record);
    if (decided != nullptr && !decided->decisions.empty()) decided->decisions.front() = "another";
  }
  const std::string path =
      files_.Write("other.berth", scheduler::recording::RecordingOf(records, reader->header()));
  const ProcessResult ended = RunBerth({"replay", path});
  EXPECT_EQ(ended.code, 1) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("\nfirst decision that differs: record "));
  EXPECT_THAT(ended.out, HasSubstr(": after schedule, at 2026-"));
  EXPECT_THAT(ended.out,
              HasSubstr("\n  recorded: decision another\n  replayed: decision {\"pod\":"));
}

TEST_F(ReplayTest, ReportsUnreadableFiles) {
  const std::string text = files_.Write("pods.yaml", "kind: Pod\n");
  const ProcessResult other = RunBerth({"replay", text});
  EXPECT_EQ(other.code, 2);
  EXPECT_THAT(other.err, StartsWith("berth replay: " + text + ": not a recording"));
  const ProcessResult missing = RunBerth({"replay", "/no/such.berth"});
  EXPECT_EQ(missing.code, 2);
  EXPECT_EQ(missing.err, "berth replay: /no/such.berth: No such file or directory\n");
  EXPECT_EQ(RunBerth({"replay"}).code, 2);
  EXPECT_EQ(RunBerth({"replay", "/"}).code, 2);
}

TEST_F(ReplayTest, ReportsUnwritableFiles) {
  const std::string examples = BERTH_SOURCE_DIR "/examples/decisions";
  const ProcessResult missing =
      RunBerth({"schedule", "-f", examples, "--record", "/no/such/run.berth"});
  EXPECT_EQ(missing.code, 1);
  EXPECT_EQ(missing.err,
            "berth schedule: --record /no/such/run.berth: No such file or directory\n");
  const ProcessResult full = RunBerth({"schedule", "-f", examples, "--record", "/dev/full"});
  EXPECT_EQ(full.code, 1);
  EXPECT_EQ(full.err, "berth schedule: --record /dev/full: No space left on device\n");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cli
