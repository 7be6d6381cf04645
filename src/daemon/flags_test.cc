#include "daemon/flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/version.h"

namespace berth::daemon {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;
using Arguments = std::vector<std::string>;

// A flag on the command line, and its value on /flagz before and after.
struct FlagCase {
  const char* name;
  const char* default_text;
  Arguments arguments;
  const char* want;
};

const FlagCase kFlags[] = {
    {"config", "", {"--config", "a.yaml"}, "a.yaml"},
    {"write-config-to", "", {"--write-config-to=b"}, "b"},
    {"master", "", {"--master=https://h"}, "https://h"},
    {"bind-address", "0.0.0.0", {"--bind-address=::1"}, "::1"},
    {"secure-port", "10259", {"--secure-port=0"}, "0"},
    {"cert-dir", "", {"--cert-dir=/c"}, "/c"},
    {"tls-cert-file", "", {"--tls-cert-file=c"}, "c"},
    {"tls-private-key-file", "", {"--tls_private_key_file=k"}, "k"},
    {"tls-cipher-suites", "[]", {"--tls-cipher-suites=A,B", "--tls-cipher-suites=C"}, "[A,B,C]"},
    {"tls-curve-preferences", "[]", {"--tls-curve-preferences=29,0x17"}, "[29,23]"},
    {"tls-min-version", "", {"--tls-min-version=VersionTLS13"}, "VersionTLS13"},
    {"tls-sni-cert-key",
     "[]",
     {"--tls-sni-cert-key=a,b", "--tls-sni-cert-key=c,d:*.e,f"},
     "[a,b;c,d:*.e,f]"},
    {"http2-max-streams-per-connection", "0", {"--http2-max-streams-per-connection=9"}, "9"},
    {"disable-http2-serving", "false", {"--disable-http2-serving"}, "true"},
    {"permit-port-sharing", "false", {"--permit-port-sharing=T"}, "true"},
    {"permit-address-sharing", "false", {"--permit-address-sharing=1"}, "true"},
    {"authentication-kubeconfig", "", {"--authentication-kubeconfig=k"}, "k"},
    {"authentication-skip-lookup", "false", {"--authentication-skip-lookup"}, "true"},
    {"authentication-token-webhook-cache-ttl",
     "10s",
     {"--authentication-token-webhook-cache-ttl=1m"},
     "1m0s"},
    {"authentication-tolerate-lookup-failure",
     "true",
     {"--authentication-tolerate-lookup-failure=false"},
     "false"},
    {"client-ca-file", "", {"--client-ca-file=c"}, "c"},
    {"requestheader-client-ca-file", "", {"--requestheader-client-ca-file=c"}, "c"},
    {"requestheader-allowed-names", "[]", {"--requestheader-allowed-names=a,b"}, "[a,b]"},
    {"requestheader-username-headers",
     "[x-remote-user]",
     {"--requestheader-username-headers=X-U"},
     "[X-U]"},
    {"requestheader-uid-headers", "[]", {"--requestheader-uid-headers=X-I"}, "[X-I]"},
    {"requestheader-group-headers",
     "[x-remote-group]",
     {"--requestheader-group-headers=X-G"},
     "[X-G]"},
    {"requestheader-extra-headers-prefix",
     "[x-remote-extra-]",
     {"--requestheader-extra-headers-prefix="},
     "[]"},
    {"authorization-kubeconfig", "", {"--authorization-kubeconfig", "k"}, "k"},
    {"authorization-always-allow-paths",
     "[/healthz,/readyz,/livez]",
     {"--authorization-always-allow-paths=/metrics"},
     "[/metrics]"},
    {"authorization-webhook-cache-authorized-ttl",
     "10s",
     {"--authorization-webhook-cache-authorized-ttl=0"},
     "0s"},
    {"authorization-webhook-cache-unauthorized-ttl",
     "10s",
     {"--authorization-webhook-cache-unauthorized-ttl=100ms"},
     "100ms"},
    {"leader-elect", "true", {"--leader-elect=false"}, "false"},
    {"leader-elect-lease-duration", "15s", {"--leader-elect-lease-duration=1h"}, "1h0m0s"},
    {"leader-elect-renew-deadline", "10s", {"--leader-elect-renew-deadline=1s"}, "1s"},
    {"leader-elect-retry-period", "2s", {"--leader-elect-retry-period=1s"}, "1s"},
    {"leader-elect-resource-lock", "leases", {"--leader-elect-resource-lock=x"}, "x"},
    {"leader-elect-resource-name", "kube-scheduler", {"--leader-elect-resource-name=x"}, "x"},
    {"leader-elect-resource-namespace",
     "kube-system",
     {"--leader-elect-resource-namespace=x"},
     "x"},
    {"kubeconfig", "", {"--kubeconfig=k"}, "k"},
    {"profiling", "true", {"--profiling=false"}, "false"},
    {"contention-profiling", "true", {"--contention-profiling=f"}, "false"},
    {"kube-api-content-type",
     "application/vnd.kubernetes.protobuf",
     {"--kube-api-content-type=application/json"},
     "application/json"},
    {"kube-api-qps", "50", {"--kube-api-qps=0.5"}, "0.5"},
    {"kube-api-burst", "100", {"--kube-api-burst=7"}, "7"},
    {"pod-max-in-unschedulable-pods-duration",
     "5m0s",
     {"--pod-max-in-unschedulable-pods-duration=1m"},
     "1m0s"},
    {"feature-gates",
     "",
     {"--feature-gates=A=true, B=false", "--feature-gates=kube:C=true"},
     ":A=true,:B=false,kube:C=true"},
    {"emulated-version", "[]", {"--emulated-version=1.36"}, "[1.36]"},
    {"min-compatibility-version", "[]", {"--min-compatibility-version=kube=1.35"}, "[kube=1.35]"},
    {"show-hidden-metrics-for-version", "", {"--show-hidden-metrics-for-version=1.35"}, "1.35"},
    {"disabled-metrics", "[]", {"--disabled-metrics=a,b"}, "[a,b]"},
    {"allow-metric-labels",
     "[]",
     {"--allow-metric-labels=m,l=a,b", "--allow-metric-labels=\"n,l=c,d\""},
     "[\"m,l=a,b\",\"n,l=c,d\"]"},
    {"allow-metric-labels-manifest", "", {"--allow-metric-labels-manifest=f"}, "f"},
    {"logging-format", "text", {"--logging-format=json"}, "json"},
    {"log-flush-frequency", "5s", {"--log-flush-frequency=1s"}, "1s"},
    {"v", "0", {"-v", "3"}, "3"},
    {"vmodule", "", {"--vmodule=a*=1,b=2"}, "a*=1,b=2"},
    {"log-text-split-stream", "false", {"--log-text-split-stream"}, "true"},
    {"log-json-split-stream", "false", {"--log-json-split-stream"}, "true"},
    {"log-text-info-buffer-size", "0", {"--log-text-info-buffer-size=2Ki"}, "2048"},
    {"log-json-info-buffer-size", "0", {"--log-json-info-buffer-size=1k"}, "1000"},
    {"help", "false", {"-h"}, "true"},
    {"version", "false", {"--version"}, "true"},
    {"shadow", "false", {"--shadow"}, "true"},
    {"record", "", {"--record", "r"}, "r"},
    {"record-size", "1Gi", {"--record-size=64Mi"}, "64Mi"},
    {"record-files", "4", {"--record-files=9"}, "9"},
    {"paranoid", "false", {"--paranoid"}, "true"},
    {"dashboard", "false", {"--dashboard"}, "true"},
    {"memory-limit", "0", {"--memory-limit=1Gi"}, "1Gi"},
    {"stuck-after", "", {"--stuck-after=30s"}, "30s"},
    {"ledger-attempts", "1000000", {"--ledger-attempts=0"}, "0"},
    {"ledger-memory", "512Mi", {"--ledger-memory=64Mi"}, "64Mi"},
};

TEST(FlagsTest, EachFlagHasItsDefaultAndTakesAValue) {
  const auto defaults = ParseFlags({});
  ASSERT_TRUE(defaults.has_value());
  EXPECT_THAT(defaults->given, IsEmpty());
  EXPECT_EQ(defaults->values.size(), std::size(kFlags)) << "a flag has no case here";
  for (const FlagCase& c : kFlags) {
    EXPECT_EQ(defaults->values.at(c.name), c.default_text) << c.name;
    const auto flags = ParseFlags(c.arguments);
    ASSERT_TRUE(flags.has_value()) << c.name << ": " << flags.error().message;
    EXPECT_EQ(flags->values.at(c.name), c.want) << c.name;
    EXPECT_THAT(flags->given, ElementsAre(c.name));
  }
}

struct ProblemCase {
  Arguments arguments;
  const char* want;
};

const ProblemCase kProblems[] = {
    {{"--nope"}, "unknown flag: --nope"},
    {{"--no_pe=1"}, "unknown flag: --no_pe"},
    {{"--secure-prt=1"}, "unknown flag: --secure-prt; did you mean --secure-port?"},
    {{"-x"}, "unknown shorthand flag: 'x' in -x"},
    {{"-hx"}, "unknown shorthand flag: 'x' in -hx"},
    {{"---config"}, "bad flag syntax: ---config"},
    {{"--=x"}, "bad flag syntax: --=x"},
    {{"--config"}, "flag needs an argument: --config"},
    {{"-v"}, "flag needs an argument: 'v' in -v"},
    {{"--secure-port=x"},
     "invalid argument \"x\" for \"--secure-port\" flag: strconv.ParseInt: parsing \"x\": invalid "
     "syntax"},
    {{"--secure-port="},
     "invalid argument \"\" for \"--secure-port\" flag: strconv.ParseInt: parsing \"\": invalid "
     "syntax"},
    {{"--kube-api-burst=9999999999"},
     "invalid argument \"9999999999\" for \"--kube-api-burst\" flag: strconv.ParseInt: parsing "
     "\"9999999999\": value out of range"},
    {{"--leader-elect=maybe"},
     "invalid argument \"maybe\" for \"--leader-elect\" flag: strconv.ParseBool: parsing "
     "\"maybe\": invalid syntax"},
    {{"--leader-elect-retry-period=5"},
     "invalid argument \"5\" for \"--leader-elect-retry-period\" flag: time: missing unit in "
     "duration \"5\""},
    {{"--kube-api-qps=fast"},
     "invalid argument \"fast\" for \"--kube-api-qps\" flag: strconv.ParseFloat: parsing \"fast\": "
     "invalid syntax"},
    {{"--bind-address=localhost"},
     "invalid argument \"localhost\" for \"--bind-address\" flag: failed to parse IP: "
     "\"localhost\""},
    {{"-v=-1"},
     "invalid argument \"-1\" for \"-v, --v\" flag: strconv.ParseUint: parsing \"-1\": invalid "
     "syntax"},
    {{"--vmodule=a"},
     "invalid argument \"a\" for \"--vmodule\" flag: \"a\" does not have the pattern=N format"},
    {{"--vmodule=a=x"},
     "invalid argument \"a=x\" for \"--vmodule\" flag: parsing verbosity in \"a=x\": "
     "strconv.ParseUint: parsing \"x\": invalid syntax"},
    {{"--stuck-after=10ms"},
     "invalid argument \"10ms\" for \"--stuck-after\" flag: must be 0, or at least 1s"},
    {{"--record-size=1k"},
     "invalid argument \"1k\" for \"--record-size\" flag: must be 0, or at least 64Ki"},
    {{"--ledger-memory=1Mi"},
     "invalid argument \"1Mi\" for \"--ledger-memory\" flag: must be 0, or at least 8Mi"},
    {{"--tls-sni-cert-key=a"},
     "invalid argument \"a\" for \"--tls-sni-cert-key\" flag: expected comma separated certificate "
     "and key file paths"},
    {{"--tls-curve-preferences=a"},
     "invalid argument \"a\" for \"--tls-curve-preferences\" flag: strconv.ParseInt: parsing "
     "\"a\": invalid syntax"},
    {{"--allow-metric-labels=m"},
     "invalid argument \"m\" for \"--allow-metric-labels\" flag: m must be formatted as "
     "key=value"},
    {{"--disabled-metrics=a\"b"},
     "invalid argument \"a\\\"b\" for \"--disabled-metrics\" flag: parse error on line 1, column "
     "2: bare \" in non-quoted field"},
};

TEST(FlagsTest, MistakesHaveTheMessagesOfKubeScheduler) {
  for (const ProblemCase& c : kProblems) {
    const auto flags = ParseFlags(c.arguments);
    ASSERT_FALSE(flags.has_value()) << c.want;
    EXPECT_EQ(flags.error().message, c.want);
  }
}

TEST(FlagsTest, VerbosityHasManySpellings) {
  for (const Arguments& arguments :
       {Arguments{"-v2"}, Arguments{"-v=2"}, Arguments{"-v", "2"}, Arguments{"--v=2"}}) {
    const auto flags = ParseFlags(arguments);
    ASSERT_TRUE(flags.has_value());
    EXPECT_EQ(flags->logs.verbosity, 2) << arguments[0];
  }
}

TEST(FlagsTest, ThereAreNoArgumentsButFlags) {
  const Arguments arguments = {"--v=1", "start", "--", "--v=2"};
  const auto flags = ParseFlags(arguments);
  ASSERT_TRUE(flags.has_value());
  EXPECT_EQ(flags->logs.verbosity, 1);
  EXPECT_EQ(CheckNoArguments(*flags).error().message,
            R"("berth-scheduler" does not take any arguments, got ["start" "--v=2"])");
  const Arguments empty = {""};
  EXPECT_TRUE(CheckNoArguments(*ParseFlags(empty)).has_value());
}

TEST(FlagsTest, DeprecatedFlagsWarn) {
  const Arguments arguments = {"--kubeconfig=k", "--pod-max-in-unschedulable-pods-duration=1m"};
  const auto flags = ParseFlags(arguments);
  ASSERT_TRUE(flags.has_value());
  EXPECT_THAT(
      flags->warnings,
      ElementsAre("Flag --kubeconfig has been deprecated, use clientConnection.kubeconfig in the "
                  "file of --config instead",
                  "Flag --pod-max-in-unschedulable-pods-duration has been deprecated, it will be "
                  "removed in a future version"));
}

TEST(FlagsTest, TheVersionIsPrintedInFullOnRequest) {
  EXPECT_EQ(VersionText("false"), "");
  EXPECT_THAT(VersionText("true"), StartsWith("Kubernetes v1.36.0+berth."));
  EXPECT_THAT(VersionText("raw"), StartsWith("version.Info{Major:\"1\", Minor:\"36\", "));
  const Arguments other = {"--version=v1.36.0-mine"};
  EXPECT_EQ(ReportedVersion(*ParseFlags(other)), "v1.36.0-mine");
  const Arguments wrong = {"--version=v1.35.0"};
  EXPECT_THAT(ParseFlags(wrong).error().message, HasSubstr("must be v1.36.0"));
}

TEST(FlagsTest, HelpHasAllGroupsAndAlignedLines) {
  const std::string help = HelpText();
  size_t at = 0;
  for (const char* group :
       {"\nUsage:\n  berth-scheduler [flags]\n", "\nMisc flags:\n\n", "\nSecure serving flags:\n\n",
        "\nAuthentication flags:\n\n", "\nAuthorization flags:\n\n", "\nDeprecated flags:\n\n",
        "\nLeader election flags:\n\n", "\nFeature gate flags:\n\n", "\nMetrics flags:\n\n",
        "\nLogs flags:\n\n", "\nGlobal flags:\n\n", "\nBerth flags:\n\n"}) {
    at = help.find(group, at);
    ASSERT_NE(at, help.npos) << group;
  }
  EXPECT_THAT(help, HasSubstr("      --config string            "
                              "KubeSchedulerConfiguration file.\n"));
  EXPECT_THAT(help, HasSubstr("\n  -v, --v Level "));
  EXPECT_THAT(help, HasSubstr("      --version version[=true]   "));
  EXPECT_THAT(help, HasSubstr("(default \"kube-system\")\n"));
  EXPECT_THAT(help, HasSubstr("(default [x-remote-user])\n"));
  EXPECT_THAT(help, Not(HasSubstr("(default false)")));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::daemon
