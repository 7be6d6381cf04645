#include "daemon/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

namespace berth::daemon {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Arguments = std::vector<std::string>;

constexpr const char* kFile = R"(
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
parallelism: 3
leaderElection: {leaderElect: false, leaseDuration: 40s, resourceName: mine}
clientConnection: {kubeconfig: file.conf, qps: 7}
)";

FileReader Files(std::map<std::string, std::string> files) {
  return [files = std::move(files)](const std::string& path) -> Result<std::string> {
    const auto found = files.find(path);
    if (found == files.end()) return Fail("open " + path + ": no such file or directory");
    return found->second;
  };
}

Checked<DaemonOptions> Make(const Arguments& arguments, const FileReader& read = Files({})) {
  auto flags = ParseFlags(arguments);
  if (!flags) return std::unexpected(std::vector{flags.error().message});
  auto gates = features::FeatureGates::Parse(flags->features.gates);
  if (!gates) return std::unexpected(gates.error());
  return Complete(*std::move(flags), *std::move(gates), read);
}

std::vector<std::string> Problems(const Arguments& arguments, const FileReader& read = Files({})) {
  const auto options = Make(arguments, read);
  return options ? std::vector<std::string>() : options.error();
}

TEST(OptionsTest, DefaultsWithoutFile) {
  const auto options = Make({});
  ASSERT_TRUE(options.has_value());
  EXPECT_TRUE(options->configuration.leader_election.leader_elect);
  EXPECT_EQ(options->configuration.client_connection.kubeconfig, "");
  EXPECT_EQ(options->configuration.profiles.size(), 1U);
  EXPECT_THAT(options->warnings, IsEmpty());
}

TEST(OptionsTest, FeatureGatesReachTheConfigurationAndTheEngine) {
  const Arguments gates = {"--feature-gates=StorageCapacityScoring=true",
                           "--feature-gates=SchedulerAsyncPreemption=false"};
  Arguments with_file = gates;
  with_file.push_back("--config=f");
  for (const Arguments& arguments : {gates, with_file}) {
    const auto options = Make(arguments, Files({{"f", kFile}}));
    ASSERT_TRUE(options.has_value()) << options.error()[0];
    EXPECT_THAT(options->warnings, IsEmpty());
    const auto engine = ToEngineOptions(*options);
    ASSERT_TRUE(engine.has_value());
    EXPECT_EQ(engine->features, (scheduler::model::Features{.scheduler_async_preemption = false,
                                                            .storage_capacity_scoring = true}));
    EXPECT_EQ(options->configuration.features, engine->features);
  }
}

TEST(OptionsTest, DeprecatedFlagsCountWithoutFile) {
  const auto options =
      Make({"--kubeconfig=k", "--kube-api-qps=5", "--kube-api-burst=6", "--profiling=false",
            "--contention-profiling=false", "--kube-api-content-type=application/json",
            "--leader-elect-resource-name=other"});
  ASSERT_TRUE(options.has_value());
  const scheduler::config::Configuration& configuration = options->configuration;
  EXPECT_EQ(configuration.client_connection.kubeconfig, "k");
  EXPECT_EQ(configuration.client_connection.qps, 5);
  EXPECT_EQ(configuration.client_connection.burst, 6);
  EXPECT_EQ(configuration.client_connection.content_type, "application/json");
  EXPECT_FALSE(configuration.enable_profiling);
  EXPECT_EQ(configuration.enable_contention_profiling, false);
  EXPECT_EQ(configuration.leader_election.resource_name, "other");
}

TEST(OptionsTest, TheFileGoesBeforeDeprecatedFlagsAndElectionFlagsBeforeTheFile) {
  const auto options = Make({"--config=f", "--kubeconfig=k", "--kube-api-qps=5", "--leader-elect",
                             "--leader-elect-retry-period=1s"},
                            Files({{"f", kFile}}));
  ASSERT_TRUE(options.has_value());
  const scheduler::config::Configuration& configuration = options->configuration;
  EXPECT_EQ(configuration.parallelism, 3);
  EXPECT_EQ(configuration.client_connection.kubeconfig, "file.conf");
  EXPECT_EQ(configuration.client_connection.qps, 7);
  EXPECT_TRUE(configuration.leader_election.leader_elect);
  EXPECT_EQ(configuration.leader_election.lease_duration, Duration::Seconds(40));
  EXPECT_EQ(configuration.leader_election.retry_period, Duration::Seconds(1));
  EXPECT_EQ(configuration.leader_election.resource_name, "mine");
  EXPECT_THAT(options->warnings,
              ElementsAre("--kubeconfig is ignored because --config is given",
                          "--kube-api-qps is ignored because --config is given"));
}

TEST(OptionsTest, WhatHasNoPlaceInTheFileComesFromFlagsInAnyCase) {
  const auto options =
      Make({"--config=f", "--pod-max-in-unschedulable-pods-duration=1m", "--paranoid"},
           Files({{"f", kFile}}));
  ASSERT_TRUE(options.has_value());
  const auto engine = ToEngineOptions(*options);
  ASSERT_TRUE(engine.has_value());
  EXPECT_EQ(engine->max_in_unschedulable_pods, Duration::Seconds(60));
  EXPECT_TRUE(engine->paranoid);
}

struct ProblemCase {
  Arguments arguments;
  std::vector<std::string> want;
};

TEST(OptionsTest, EveryProblemIsReported) {
  const ProblemCase cases[] = {
      {{"--secure-port=70000", "--tls-min-version=TLS1", "--leader-elect-resource-lock=endpoints"},
       {"--secure-port 70000 must be between 0 and 65535, inclusive. 0 for turning off secure port",
        "unknown tls version \"TLS1\"",
        "leaderElection.resourceLock: Invalid value: \"endpoints\": resourceLock value must be "
        "\"leases\""}},
      {{"--config=missing"}, {"open missing: no such file or directory"}},
      {{"--tls-cert-file=c"}, {"missing filename for serving key"}},
      {{"--tls-cipher-suites=NOPE"}, {"Cipher suite NOPE not supported or doesn't exist"}},
      {{"--tls-cipher-suites=TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,TLS_AES_128_GCM_SHA256,"
        "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305"},
       {}},
      {{"--tls-curve-preferences=1"},
       {"--tls-curve-preferences: 1 is not one of 23, 24, 25 and 29"}},
      {{"--requestheader-group-headers= "}, {"empty value in \"requestheader-group-headers\""}},
      {{"--requestheader-uid-headers=x-uid"},
       {"--requestheader-uid-headers is set without specifying the standard X-Remote-Uid header - "
        "API aggregation will not work"}},
      {{"--authorization-always-allow-paths=/a*b"}, {"only trailing * allowed in \"a*b\""}},
      {{"--authorization-always-allow-paths=/a*,/,b"}, {}},
      {{"--show-hidden-metrics-for-version=1.34"},
       {"--show-hidden-metrics-for-version must be omitted or have the value '1.35'. Only the "
        "previous minor version is allowed"}},
      {{"--emulated-version=1.34"}, {"--emulated-version=1.34: Berth behaves like 1.36 only"}},
      {{"--leader-elect-renew-deadline=2s"},
       {"couldn't create leader elector: renewDeadline must be greater than "
        "retryPeriod*JitterFactor"}},
      {{"--leader-elect-renew-deadline=2s", "--leader-elect=false"}, {}},
      {{"--kube-api-burst=-1"},
       {"clientConnection.burst: Invalid value: -1: must be non-negative"}},
      {{"--allow-metric-labels=m=a"}, {"--allow-metric-labels: \"m\" is not metric,label"}},
  };
  for (const ProblemCase& c : cases) EXPECT_EQ(Problems(c.arguments), c.want) << c.arguments[0];
}

TEST(OptionsTest, ProblemsOfTheFileNameIt) {
  const auto problems =
      Problems({"--config=f"}, Files({{"f", "kind: KubeSchedulerConfiguration\n"}}));
  ASSERT_EQ(problems.size(), 1U);
  EXPECT_THAT(problems[0], testing::StartsWith("f: "));
}

TEST(OptionsTest, UnusualHeadersAreAWarning) {
  const auto options = Make({"--requestheader-username-headers=X-Me"});
  ASSERT_TRUE(options.has_value());
  EXPECT_THAT(options->warnings, ElementsAre(HasSubstr("the standard X-Remote-User header")));
}

TEST(OptionsTest, LabelsMayComeFromAFile) {
  const FileReader files =
      Files({{"m", "allowListMapping:\n  \"m1,l1\": \"a,b\"\n"}, {"bad", "other: 1\n"}});
  const auto options = Make({"--allow-metric-labels-manifest=m"}, files);
  ASSERT_TRUE(options.has_value());
  EXPECT_THAT(options->flags.metrics.allowed_labels, ElementsAre(testing::Pair("m1,l1", "a,b")));
  EXPECT_THAT(Problems({"--allow-metric-labels-manifest=bad"}, files),
              ElementsAre("bad: it has no allowListMapping"));
}

TEST(OptionsTest, SeveralProblemsAreOneMessage) {
  EXPECT_EQ(Aggregate(std::vector<std::string>{"a"}), "a");
  EXPECT_EQ(Aggregate(std::vector<std::string>{"a", "b"}), "[a, b]");
}

TEST(OptionsTest, TheConfigurationIsWrittenAndReadAgain) {
  const std::string path = testing::TempDir() + "berth_options_test.yaml";
  const auto options = Make({"--kube-api-qps=9"});
  ASSERT_TRUE(options.has_value());
  ASSERT_TRUE(WriteConfiguration(options->configuration, path).has_value());
  const auto again = Make({"--config=" + path}, ReadFile);
  std::filesystem::remove(path);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(again->configuration.client_connection.qps, 9);
  EXPECT_THAT(WriteConfiguration({}, "/nonexistent/x").error().message,
              HasSubstr("open /nonexistent/x: No such file"));
  EXPECT_FALSE(ReadFile("/nonexistent/x").has_value());
}

struct LogCase {
  Arguments arguments;
  std::vector<std::string> want;
};

TEST(OptionsTest, LogFlagsAreChecked) {
  const LogCase cases[] = {
      {{"--logging-format=xml"}, {"format: Invalid value: \"xml\": Unsupported log format"}},
      {{"--logging-format=json", "--vmodule=a=1"},
       {"vmodule: Forbidden: Only supported for text log format"}},
      {{"--logging-format=json", "--feature-gates=LoggingBetaOptions=false"},
       {"format: Forbidden: Log format json is disabled, see LoggingBetaOptions feature"}},
      {{"--log-text-split-stream"},
       {"options.text.splitStream: Forbidden: Feature LoggingAlphaOptions is disabled"}},
      {{"--log-json-info-buffer-size=1k"},
       {"options.json.infoBufferSize: Forbidden: Feature LoggingAlphaOptions is disabled"}},
      {{"--log-flush-frequency=0s"},
       {"flushFrequency: Invalid value: \"0s\": Must be greater than zero"}},
  };
  for (const LogCase& c : cases) {
    const auto flags = ParseFlags(c.arguments);
    ASSERT_TRUE(flags.has_value());
    const auto options =
        ToLogOptions(flags->logs, *features::FeatureGates::Parse(flags->features.gates));
    ASSERT_FALSE(options.has_value()) << c.arguments[0];
    EXPECT_EQ(options.error(), c.want);
  }
}

TEST(OptionsTest, LogFlagsOfTheFormatCount) {
  const Arguments arguments = {"--logging-format=json", "-v3", "--log-json-split-stream",
                               "--log-json-info-buffer-size=1Ki",
                               "--feature-gates=LoggingAlphaOptions=true"};
  const auto flags = ParseFlags(arguments);
  ASSERT_TRUE(flags.has_value());
  const auto options =
      ToLogOptions(flags->logs, *features::FeatureGates::Parse(flags->features.gates));
  ASSERT_TRUE(options.has_value());
  EXPECT_TRUE(options->json);
  EXPECT_EQ(options->verbosity, 3);
  EXPECT_TRUE(options->split_stream);
  EXPECT_EQ(options->info_buffer_bytes, 1024U);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::daemon
