#include "flags/command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flags/flag_group.h"

namespace berth::flags {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using Arguments = std::vector<std::string>;

// A small program: port load FILE..., port config show [FILE], port config check.
class CommandTest : public testing::Test {
 protected:
  void Declare(Command& root) {
    root.SetVersion("port 1.2");
    Command& load = root.Add("load", "Load files");
    load.details = "Reads them in order.\n";
    load.examples = "  port load -q 3 a b\n";
    load.Takes("FILE", files_, "Files to load");
    FlagGroup group(load.flags);
    group.Uint("quay", quay_, "Number of the quay").Short('q').Required();
    group.Switch("no-crane", no_crane_, "Do not use a crane");
    load.run = [] { return 7; };
    Command& config = root.Add("config", "Work with configurations");
    Command& show = config.Add("show", "Print one");
    show.Takes("FILE", file_, "File to print").required = false;
    show.run = [] { return 8; };
    config.Add("check", "Check one").run = [] { return 9; };
  }

  // Returns what the program prints instead of running a command, or the command's exit code.
  std::string Run(const Arguments& arguments) {
    Command root("port", "Port is a small program");
    Declare(root);
    const auto invocation = ParseCommandLine(root, arguments);
    if (!invocation) return invocation.error().message;
    if (!invocation->text.empty()) return invocation->text;
    return std::to_string(invocation->command->run());
  }

  std::vector<std::string> files_;
  std::string file_;
  int quay_ = 0;
  bool no_crane_ = false;
};

TEST_F(CommandTest, FlagsAndArgumentsMayBeMixed) {
  EXPECT_EQ(Run({"load", "a", "-q3", "--no-crane", "b", "--", "-c"}), "7");
  EXPECT_THAT(files_, ElementsAre("a", "b", "-c"));
  EXPECT_EQ(quay_, 3);
  EXPECT_TRUE(no_crane_);
}

TEST_F(CommandTest, CommandsNest) {
  EXPECT_EQ(Run({"config", "check"}), "9");
  EXPECT_EQ(Run({"config", "show", "x"}), "8");
  EXPECT_EQ(file_, "x");
}

TEST_F(CommandTest, AnOptionalArgumentMayBeOmitted) {
  EXPECT_EQ(Run({"config", "show"}), "8");
  EXPECT_EQ(file_, "");
}

struct UsageCase {
  Arguments arguments;
  const char* want;
};

const UsageCase kUsageErrors[] = {
    {{"sail"}, "port: unknown command \"sail\" for \"port\"\nSee 'port --help' for usage.\n"},
    {{"laod"},
     "port: unknown command \"laod\" for \"port\"; did you mean load?\n"
     "See 'port --help' for usage.\n"},
    {{"conf"},
     "port: unknown command \"conf\" for \"port\"; did you mean config?\n"
     "See 'port --help' for usage.\n"},
    {{""}, "port: unknown command \"\" for \"port\"\nSee 'port --help' for usage.\n"},
    {{"config", "load"},
     "port config: unknown command \"load\" for \"port config\"\n"
     "See 'port config --help' for usage.\n"},
    {{"--quay", "load"}, "port: unknown flag: --quay\nSee 'port --help' for usage.\n"},
    {{"load", "a", "-q3", "--quey"},
     "port load: unknown flag: --quey; did you mean --quay?\n"
     "See 'port load --help' for usage.\n"},
    {{"load", "a", "-q3", "--no-cranes=true"},
     "port load: unknown flag: --no-cranes; did you mean --no-crane?\n"
     "See 'port load --help' for usage.\n"},
    {{"load", "a", "-no-crane"},
     "port load: unknown shorthand flag: 'n' in -no-crane; did you mean --no-crane?\n"
     "See 'port load --help' for usage.\n"},
    {{"load", "a", "-x"},
     "port load: unknown shorthand flag: 'x' in -x\nSee 'port load --help' for usage.\n"},
    {{"load", "a", "-q", "three"},
     "port load: invalid argument \"three\" for \"-q, --quay\" flag: must be an integer from 0 to "
     "2147483647\nSee 'port load --help' for usage.\n"},
    {{"load", "a"},
     "port load: required flag(s) \"quay\" not set\nSee 'port load --help' for usage.\n"},
    {{"load", "-q3"}, "port load: FILE is required\nSee 'port load --help' for usage.\n"},
    {{"config", "show", "a", "b"},
     "port config show: unexpected argument \"b\"\nSee 'port config show --help' for usage.\n"},
    {{"config", "check", "--", "--help"},
     "port config check: unexpected argument \"--help\"\n"
     "See 'port config check --help' for usage.\n"},
};

TEST_F(CommandTest, ErrorsNameTheProblemAndReferToHelp) {
  for (const UsageCase& c : kUsageErrors) EXPECT_EQ(Run(c.arguments), c.want);
}

TEST_F(CommandTest, ACommandIsRequired) {
  for (const Arguments& arguments : {Arguments{}, Arguments{"config"}, Arguments{"--"}}) {
    const std::string printed = Run(arguments);
    EXPECT_THAT(printed, HasSubstr("\nAvailable Commands:\n"));
    EXPECT_THAT(printed, EndsWith(": a command is required\n"));
  }
}

TEST_F(CommandTest, HelpIsForTheNamedCommand) {
  for (const Arguments& arguments :
       {Arguments{"load", "--help"}, Arguments{"load", "-h", "--nope"}, Arguments{"help", "load"},
        Arguments{"--help", "load"}, Arguments{"load", "a", "-hq"}}) {
    EXPECT_THAT(Run(arguments), StartsWith("Load files.\n")) << testing::PrintToString(arguments);
  }
  EXPECT_THAT(Run({"help"}), StartsWith("Port is a small program.\n"));
  EXPECT_THAT(Run({"config", "help", "show"}), StartsWith("Print one.\n"));
}

TEST_F(CommandTest, HelpHasTheSectionsOfKubectl) {
  EXPECT_EQ(Run({"load", "--help"}),
            "Load files.\n"
            "\n"
            "Reads them in order.\n"
            "\n"
            "Usage:\n"
            "  port load -q N FILE... [flags]\n"
            "\n"
            "Arguments:\n"
            "  FILE   Files to load\n"
            "\n"
            "Examples:\n"
            "  port load -q 3 a b\n"
            "\n"
            "Flags:\n"
            "  -h, --help       Print this help and exit\n"
            "      --no-crane   Do not use a crane\n"
            "  -q, --quay N     Number of the quay\n");
}

TEST_F(CommandTest, HelpOfAParentListsItsCommands) {
  EXPECT_EQ(Run({"--help"}),
            "Port is a small program.\n"
            "\n"
            "Usage:\n"
            "  port [command]\n"
            "\n"
            "Available Commands:\n"
            "  load     Load files\n"
            "  config   Work with configurations\n"
            "\n"
            "Flags:\n"
            "  -h, --help      Print this help and exit\n"
            "      --version   Print the version and exit\n"
            "\n"
            "Use \"port [command] --help\" for more information about a command.\n");
  EXPECT_THAT(Run({"config", "show", "--help"}),
              HasSubstr("\n  port config show [FILE] [flags]\n"));
}

TEST_F(CommandTest, TheVersionIsAFlagOfTheProgram) {
  EXPECT_EQ(Run({"--version"}), "port 1.2\n");
  EXPECT_THAT(Run({"load", "--version"}), HasSubstr("unknown flag: --version"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::flags
