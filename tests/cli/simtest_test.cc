// berth simtest end to end.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "berth_process_testing.h"

namespace berth::cli {
namespace BERTH_TEST_FILE {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Simtest, RunsARangeOfSeeds) {
  const ProcessResult ended = RunBerth({"simtest", "--seeds", "1..5"});
  EXPECT_EQ(ended.code, 0) << ended.out;
  EXPECT_THAT(ended.out, StartsWith("5 seeds, 0 failed; "));
  EXPECT_THAT(ended.out, HasSubstr(" seeds/s\n"));
  EXPECT_EQ(ended.err, "");
}

TEST(Simtest, RunsTheSeedsOfAFile) {
  const TemporaryDirectory files;
  const std::string path = files.Write("seeds", "# two of them\n3\n\n  4  # why\n");
  const ProcessResult ended =
      RunBerth({"simtest", "--seeds", "1", "--seed-file", path, "--steps", "20"});
  EXPECT_EQ(ended.code, 0) << ended.out;
  EXPECT_THAT(ended.out, StartsWith("3 seeds, 0 failed; "));
}

TEST(Simtest, PrintsATrace) {
  const ProcessResult ended = RunBerth({"simtest", "--seeds", "1..1", "--trace"});
  EXPECT_THAT(ended.out, HasSubstr("\nput Pod p"));
  EXPECT_THAT(ended.out, HasSubstr("\ndecision: p"));
  EXPECT_THAT(ended.out, HasSubstr(": bind p"));
  EXPECT_THAT(ended.out, HasSubstr("\nthe faults stop\n"));
}

struct UsageCase {
  std::vector<std::string> arguments;
  std::string error;
};

TEST(Simtest, ReportsInvalidUsage) {
  const TemporaryDirectory files;
  const std::string bad = files.Write("bad", "1\nfour\n");
  const std::vector<UsageCase> cases = {
      {{}, "berth simtest: no seeds: set --seeds or --seed-file\n"},
      {{"--seeds", "some"},
       "berth simtest: invalid argument \"some\" for \"--seeds\" flag: must be a range such as "
       "1..2000, or one seed\nSee 'berth simtest --help' for usage.\n"},
      {{"--seeds", "1.."},
       "\"1..\" for \"--seeds\" flag: must be a range such as 1..2000, or one seed\n"},
      {{"--seeds", "9..3"},
       "\"9..3\" for \"--seeds\" flag: the last seed is less than the first\n"},
      {{"--seed-file", files.path("none")},
       "berth simtest: --seed-file " + files.path("none") + ": No such file or directory\n"},
      {{"--seed-file", bad}, ":2: \"four\" is not a seed\n"},
  };
  for (const UsageCase& wrong : cases) {
    std::vector<std::string> arguments = {"simtest"};
    arguments.insert(arguments.end(), wrong.arguments.begin(), wrong.arguments.end());
    const ProcessResult ended = RunBerth(arguments);
    EXPECT_EQ(ended.code, 2);
    EXPECT_THAT(ended.err, HasSubstr(wrong.error));
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cli
