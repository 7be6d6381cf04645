#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "daemon/options.h"

namespace berth::daemon {
namespace BERTH_TEST_FILE {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using Arguments = std::vector<std::string>;

struct Told {
  int code = -1;  // -1: the process goes on.
  std::string out;
  std::string err;
  std::string log;
};

Told Start(const Arguments& arguments) {
  Told told;
  testing::internal::CaptureStderr();
  const auto options = ReadCommandLine(arguments, ReadFile,
                                       {[&](std::string_view text) { told.out += text; },
                                        [&](std::string_view text) { told.err += text; }});
  told.log = testing::internal::GetCapturedStderr();
  if (!options) told.code = options.error();
  return told;
}

TEST(CommandLineTest, WrongFlagsAreToldBehindTheUsage) {
  const Told told = Start({"--nope"});
  EXPECT_EQ(told.code, 1);
  EXPECT_THAT(told.err, StartsWith("Usage:\n  berth-scheduler [flags]\n"));
  EXPECT_THAT(told.err, EndsWith("\nError: unknown flag: --nope\n"));
}

TEST(CommandLineTest, ArgumentsAreRefusedWithoutIt) {
  const Told told = Start({"start"});
  EXPECT_EQ(told.code, 1);
  EXPECT_EQ(told.err, "Error: \"kube-scheduler\" does not take any arguments, got [\"start\"]\n");
}

TEST(CommandLineTest, HelpAndVersionEndWell) {
  EXPECT_EQ(Start({"--help"}).code, 0);
  EXPECT_THAT(Start({"-h"}).out, HasSubstr("\nMisc flags:\n"));
  const Told version = Start({"--version"});
  EXPECT_EQ(version.code, 0);
  EXPECT_THAT(version.out, StartsWith("Kubernetes v1.36.0"));
}

TEST(CommandLineTest, LaterProblemsAreLogged) {
  const Told gates = Start({"--feature-gates=Nope=true"});
  EXPECT_EQ(gates.code, 1);
  EXPECT_THAT(gates.log, HasSubstr("] \"command failed\" err=\"unrecognized feature gate: Nope\""));
  const Told file = Start({"--config=/nonexistent/file", "--secure-port=-1"});
  EXPECT_EQ(file.code, 1);
  EXPECT_THAT(file.log, HasSubstr("err=\"[--secure-port -1 must be between 0 and 65535"));
  EXPECT_THAT(file.log, HasSubstr(", open /nonexistent/file: No such file or directory]\""));
}

TEST(CommandLineTest, ProblemsWithLoggingAreNotLogged) {
  const Told told = Start({"--logging-format=xml"});
  EXPECT_EQ(told.code, 1);
  EXPECT_EQ(told.err, "format: Invalid value: \"xml\": Unsupported log format\n");
}

TEST(CommandLineTest, WarningsDoNotEndIt) {
  const Told told = Start({"--kubeconfig=k", "--feature-gates=SchedulerAsyncPreemption=false"});
  EXPECT_EQ(told.code, -1);
  EXPECT_THAT(told.err, StartsWith("Flag --kubeconfig has been deprecated, "));
  EXPECT_THAT(told.log, HasSubstr("] feature gate SchedulerAsyncPreemption=false makes no "));
}

TEST(CommandLineTest, FlagsAreLoggedIfMuchIs) {
  EXPECT_THAT(Start({"-v1"}).log, HasSubstr("] FLAG: --bind-address=\"0.0.0.0\"\n"));
  EXPECT_EQ(Start({}).log, "");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::daemon
