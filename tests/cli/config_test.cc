// berth config: output and exit codes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "berth_process_testing.h"

namespace berth::cli {
namespace BERTH_TEST_FILE {

using ::testing::HasSubstr;

std::string Config(std::string_view rest) {
  return "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" +
         std::string(rest);
}

TEST(ConfigValidateTest, PrintsThatAFileIsValid) {
  const TemporaryDirectory files;
  const std::string path = files.Write("c.yaml", Config("parallelism: 4\n"));
  const ProcessResult ended = RunBerth({"config", "validate", path});
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.out, path + ": valid\n");
  EXPECT_EQ(ended.err, "");
}

TEST(ConfigValidateTest, ReadsStandardInput) {
  const ProcessResult ended = RunBerth({"config", "validate", "-"}, Config(""));
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, "standard input: valid\n");
}

struct ProblemCase {
  const char* name;
  std::string content;
  std::string problems;  // All that is printed; FILE stands for the path.
};

class ConfigProblems : public ::testing::TestWithParam<ProblemCase> {};

TEST_P(ConfigProblems, AreAllReportedWithTheirFields) {
  const TemporaryDirectory files;
  const std::string path = files.Write("c.yaml", GetParam().content);
  std::string problems = GetParam().problems;
  for (size_t at = 0; (at = problems.find("FILE", at)) != std::string::npos;) {
    problems.replace(at, 4, path);
  }
  for (const char* command : {"validate", "show"}) {
    const ProcessResult ended = RunBerth({"config", command, path});
    EXPECT_EQ(ended.code, 1) << command;
    EXPECT_EQ(ended.out, "") << command;
    EXPECT_EQ(ended.err, problems) << command;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ConfigProblems,
    ::testing::Values(
        ProblemCase{"Decoding", Config("paralelism: 4\nextenders: [{urlPrefixx: a}]\n"),
                    "FILE: strict decoding error: unknown field \"extenders[0].urlPrefixx\"\n"
                    "FILE: strict decoding error: unknown field \"paralelism\"\n"},
        ProblemCase{"Validation",
                    Config("parallelism: 0\nprofiles: [{percentageOfNodesToScore: 101}]\n"),
                    "FILE: parallelism: Invalid value: 0: should be an integer value greater than "
                    "zero\n"
                    "FILE: profiles[0].percentageOfNodesToScore: Invalid value: 101: not in valid "
                    "range [0-100]\n"},
        ProblemCase{"Building",
                    Config("profiles: [{plugins: {filter: {enabled: [{name: NoSuch}]}}}]\n"),
                    "FILE: initializing profiles: creating profile for scheduler name "
                    "default-scheduler: FilterPlugin \"NoSuch\" does not exist\n"},
        ProblemCase{"CertificateFile",
                    Config("extenders: [{urlPrefix: 'https://a/', enableHTTPS: true, "
                           "tlsConfig: {caFile: /no/such/ca.pem}}]\n"),
                    "FILE: couldn't build extenders: open /no/such/ca.pem: no such file or "
                    "directory\n"}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST(ConfigValidateTest, NotesWhatHasNoEffect) {
  const TemporaryDirectory files;
  const std::string path = files.Write(
      "c.yaml",
      Config("profiles: [{plugins: {multiPoint: {enabled: [{name: GangScheduling}]}}}]\n"));
  const ProcessResult ended = RunBerth({"config", "validate", path});
  EXPECT_EQ(ended.code, 0);
  EXPECT_EQ(ended.out, path + ": valid\n");
  EXPECT_THAT(ended.err, HasSubstr("note: profiles[0].plugins.multiPoint.enabled[0]: "
                                   "GangScheduling has no effect: the feature gate"));
}

TEST(ConfigShowTest, FillsInTheDefaults) {
  const TemporaryDirectory files;
  const std::string path = files.Write("c.yaml", Config("parallelism: 4\n"));
  const ProcessResult given = RunBerth({"config", "show", path});
  const ProcessResult standard = RunBerth({"config", "show"});
  EXPECT_EQ(given.code, 0) << given.err;
  EXPECT_EQ(standard.code, 0) << standard.err;
  EXPECT_THAT(given.out, HasSubstr("\nparallelism: 4\n"));
  EXPECT_THAT(standard.out, HasSubstr("\nparallelism: 16\n"));
  for (const ProcessResult& ended : {given, standard}) {
    EXPECT_THAT(ended.out, HasSubstr("kind: KubeSchedulerConfiguration\n"));
    EXPECT_THAT(ended.out, HasSubstr("  leaseDuration: 15s\n"));
    EXPECT_THAT(ended.out, HasSubstr("- name: TaintToleration\n        weight: 3\n"));
  }
}

TEST(ConfigShowTest, WhatItPrintsIsValidAndComplete) {
  const TemporaryDirectory files;
  const std::string first = RunBerth({"config", "show"}).out;
  const std::string path = files.Write("c.yaml", first);
  EXPECT_EQ(RunBerth({"config", "validate", path}).code, 0);
  EXPECT_EQ(RunBerth({"config", "show", path}).out, first);
}

TEST(ConfigShowTest, FollowsTheFeatureGates) {
  const ProcessResult plain = RunBerth({"config", "show"});
  EXPECT_THAT(plain.out, HasSubstr("name: NodeDeclaredFeatures"));
  const ProcessResult gated = RunBerth(
      {"config", "show", "--feature-gates",
       "NodeDeclaredFeatures=false,InPlacePodLevelResourcesVerticalScaling=false,"
       "InPlacePodVerticalScalingInitContainers=false,RestartAllContainersOnContainerExits=false,"
       "ExtendWebSocketsToKubelet=false",
       "--feature-gates=StorageCapacityScoring=true"});
  EXPECT_EQ(gated.code, 0) << gated.err;
  EXPECT_THAT(gated.out, testing::Not(HasSubstr("name: NodeDeclaredFeatures")));
  EXPECT_THAT(gated.out, HasSubstr("utilization: 100"));
}

TEST(ConfigValidateTest, RefusesGatesThatBerthCannotSwitch) {
  const ProcessResult ended =
      RunBerth({"config", "validate", "-", "--feature-gates", "DRADeviceTaintRules=true,Nope=true"},
               Config(""));
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.err, "berth config validate: --feature-gates: unrecognized feature gate: Nope\n");
  const ProcessResult fixed = RunBerth(
      {"config", "validate", "-", "--feature-gates", "DRADeviceTaintRules=true"}, Config(""));
  EXPECT_EQ(fixed.code, 2);
  EXPECT_THAT(fixed.err, HasSubstr("feature gate DRADeviceTaintRules cannot be switched on"));
}

TEST(ConfigUsageTest, IsReported) {
  const ProcessResult unreadable = RunBerth({"config", "validate", "/no/such.yaml"});
  EXPECT_EQ(unreadable.code, 2);
  EXPECT_EQ(unreadable.err, "berth config validate: /no/such.yaml: No such file or directory\n");
  const ProcessResult shown = RunBerth({"config", "show", "/no/such.yaml"});
  EXPECT_EQ(shown.code, 2);
  EXPECT_EQ(shown.err, "berth config show: /no/such.yaml: No such file or directory\n");
  EXPECT_EQ(RunBerth({"config"}).code, 2);
  EXPECT_EQ(RunBerth({"config", "validate"}).code, 2);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cli
