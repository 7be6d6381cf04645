#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "daemon/options.h"

namespace berth::daemon {
namespace BERTH_TEST_FILE {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using Arguments = std::vector<std::string>;

struct CommandRun {
  int code = -1;  // -1: the process continues.
  std::string out;
  std::string err;
  std::string log;
};

CommandRun Start(const Arguments& arguments) {
  CommandRun run;
  testing::internal::CaptureStderr();
  const auto options = ReadCommandLine(arguments, ReadFile,
                                       {[&](std::string_view text) { run.out += text; },
                                        [&](std::string_view text) { run.err += text; }});
  run.log = testing::internal::GetCapturedStderr();
  if (!options) run.code = options.error();
  return run;
}

TEST(CommandLineTest, WrongFlagsAreReportedAfterTheUsage) {
  const CommandRun run = Start({"--nope"});
  EXPECT_EQ(run.code, 1);
  EXPECT_THAT(run.err, StartsWith("Usage:\n  berth-scheduler [flags]\n"));
  EXPECT_THAT(run.err, EndsWith("\nError: unknown flag: --nope\n"));
}

TEST(CommandLineTest, ArgumentsAreRefusedWithoutTheUsage) {
  const CommandRun run = Start({"start"});
  EXPECT_EQ(run.code, 1);
  EXPECT_EQ(run.err, "Error: \"berth-scheduler\" does not take any arguments, got [\"start\"]\n");
}

TEST(CommandLineTest, HelpAndVersionExitWithZero) {
  EXPECT_EQ(Start({"--help"}).code, 0);
  EXPECT_THAT(Start({"-h"}).out, HasSubstr("\nMisc flags:\n"));
  const CommandRun version = Start({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_THAT(version.out, StartsWith("Kubernetes v1.36.0"));
}

TEST(CommandLineTest, LaterProblemsAreLogged) {
  const CommandRun gates = Start({"--feature-gates=Nope=true"});
  EXPECT_EQ(gates.code, 1);
  EXPECT_THAT(gates.log, HasSubstr("] \"command failed\" err=\"unrecognized feature gate: Nope\""));
  const CommandRun file = Start({"--config=/nonexistent/file", "--secure-port=-1"});
  EXPECT_EQ(file.code, 1);
  EXPECT_THAT(file.log, HasSubstr("err=\"[--secure-port -1 must be between 0 and 65535"));
  EXPECT_THAT(file.log, HasSubstr(", open /nonexistent/file: No such file or directory]\""));
}

TEST(CommandLineTest, ProblemsWithLoggingAreNotLogged) {
  const CommandRun run = Start({"--logging-format=xml"});
  EXPECT_EQ(run.code, 1);
  EXPECT_EQ(run.err, "format: Invalid value: \"xml\": Unsupported log format\n");
}

TEST(CommandLineTest, WarningsDoNotEndTheProcess) {
  const CommandRun run = Start({"--kubeconfig=k", "--feature-gates=OpportunisticBatching=false"});
  EXPECT_EQ(run.code, -1);
  EXPECT_THAT(run.err, StartsWith("Flag --kubeconfig has been deprecated, "));
  EXPECT_THAT(run.log, HasSubstr("] feature gate OpportunisticBatching=false makes no "));
}

TEST(CommandLineTest, EveryLineIsJsonIfTheLogIs) {
  const CommandRun warnings = Start({"--logging-format=json", "--kubeconfig=k", "-v1",
                                     "--feature-gates=OpportunisticBatching=false"});
  EXPECT_EQ(warnings.code, -1);
  EXPECT_EQ(warnings.err, "");
  EXPECT_THAT(warnings.log, HasSubstr("\"msg\":\"Flag --kubeconfig has been deprecated, "));
  EXPECT_THAT(warnings.log, HasSubstr("feature gate OpportunisticBatching=false makes no "));
  const CommandRun gates = Start({"--logging-format=json", "--feature-gates=Nope=true"});
  EXPECT_EQ(gates.code, 1);
  for (const CommandRun& run : {warnings, gates}) {
    std::istringstream lines(run.log);
    for (std::string line; std::getline(lines, line);) EXPECT_THAT(line, StartsWith("{\"ts\":"));
  }
}

TEST(CommandLineTest, FlagsAreLoggedFromVerbosityOneOn) {
  EXPECT_THAT(Start({"-v1"}).log, HasSubstr("] FLAG: --bind-address=\"0.0.0.0\"\n"));
  EXPECT_EQ(Start({}).log, "");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::daemon
