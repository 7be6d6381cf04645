#include "flags/completion.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flags/flag_group.h"

namespace berth::flags {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using Arguments = std::vector<std::string>;

// port load [FILE...], port ships [SHIP] --harbour NAME -o FORMAT.
class CompletionTest : public testing::Test {
 protected:
  CompletionTest() {
    Command& load = root_.Add("load", "Load files. Slowly");
    load.Takes("FILE", files_, "Files");
    FlagGroup group(load.flags);
    group.Text("log", log_, "Folder of logs").As("DIR");
    group.Switch("quick", quick_, "Do not check");
    Command& ships = root_.Add("ships", "List ships");
    ships.Takes("SHIP", ship_, "Ship").complete = [this](const std::string&) {
      return Words({"of-" + harbour_, "anna", "anton", "$(reboot)", "a b", "a;b", "\x1b[2J"})("");
    };
    FlagGroup of_ships(ships.flags);
    of_ships.Text("harbour", harbour_, "Harbour").Short('n');
    of_ships.Text("output", output_, "Format").Short('o').OneOf({"text", "json"});
    of_ships.List("kinds", kinds_, "Kinds").Completes(ListOf(Words({"tug", "ferry"})));
    root_.Add("secret", "Hidden").hidden = true;
    AddCompletion(root_, {"port"});
  }

  // Returns what __complete prints.
  std::string Text(const Arguments& words) { return CompletionText(Complete(root_, words)); }

  Command root_{"port", "Port is a small program"};
  Arguments files_, kinds_;
  std::string log_, ship_, harbour_ = "home", output_;
  bool quick_ = false;
};

TEST_F(CompletionTest, CommandsButNotHiddenOnes) {
  EXPECT_EQ(Text({""}),
            "load\tLoad files\nships\tList ships\n"
            "completion\tPrint the script that completes commands in a shell\n:4\n");
  EXPECT_EQ(Text({"s"}), "ships\tList ships\n:4\n");
  EXPECT_EQ(Text({"help", "s"}), "ships\tList ships\n:4\n");
  EXPECT_EQ(Text({"completion", "f"}), "fish\tPrint the completion script for fish\n:4\n");
  EXPECT_EQ(Text({"none", ""}), ":4\n");
}

TEST_F(CompletionTest, FlagsAndTheirValues) {
  EXPECT_EQ(Text({"load", "--q"}), "--quick\tDo not check\n:4\n");
  EXPECT_EQ(Text({"load", "--quick="}), "true\nfalse\n:4\n");
  EXPECT_EQ(Text({"load", "--log", ""}), ":16\n");
  EXPECT_EQ(Text({"load", "--log=x"}), ":16\n");
  EXPECT_EQ(Text({"ships", "--output", "j"}), "json\n:4\n");
  EXPECT_EQ(Text({"ships", "--output=j"}), "json\n:4\n");
  EXPECT_EQ(Text({"ships", "-o", ""}), "text\njson\n:4\n");
  EXPECT_EQ(Text({"ships", "--none="}), ":4\n");
}

TEST_F(CompletionTest, ItemsOfAListOnce) {
  EXPECT_EQ(Text({"ships", "--kinds", "t"}), "tug\n:4\n");
  EXPECT_EQ(Text({"ships", "--kinds", "tug,"}), "tug,ferry\n:4\n");
}

TEST_F(CompletionTest, ArgumentsWithTheFlagsBeforeThem) {
  EXPECT_EQ(Text({"ships", "-n", "kiel", ""}), "of-kiel\nanna\nanton\n:4\n");
  EXPECT_EQ(Text({"ships", "--", ""}), "of-kiel\nanna\nanton\n:4\n");
  EXPECT_EQ(Text({"ships", "anna", ""}), ":4\n");
  EXPECT_EQ(Text({"load", "a", "b", ""}), ":0\n") << "files, any number of them";
}

TEST_F(CompletionTest, WhatIsWrongBeforeTheWordDoesNotMatter) {
  EXPECT_EQ(Text({"ships", "--none", "--output", "xml", "-n", "kiel", "of"}), "of-kiel\n:4\n");
}

TEST_F(CompletionTest, NamesThatAShellCouldInterpretAreDropped) {
  EXPECT_EQ(Text({"ships", "a"}), "anna\nanton\n:4\n");
  EXPECT_THAT(Text({"ships", "$"}), Not(HasSubstr("reboot")));
}

TEST_F(CompletionTest, OutputIsBounded) {
  root_.commands.front().arguments[0].complete = [](const std::string&) {
    Completions many;
    for (int i = 0; i < 5'000; ++i) many.candidates.push_back({fmt::format("n{}", i)});
    return many;
  };
  EXPECT_THAT(Complete(root_, Arguments{"load", ""}).candidates, SizeIs(1'000));
}

TEST_F(CompletionTest, WordsThatGoOnGetNoSpace) {
  root_.commands.front().arguments[0].complete = Words({"job/", "pod/", "plain"});
  EXPECT_EQ(Text({"load", "j"}), "job/\n:6\n");
  EXPECT_EQ(Text({"load", "p"}), "pod/\nplain\n:4\n");
}

TEST(SplitCommandLine, FollowsQuotesAndExpandsNothing) {
  EXPECT_THAT(SplitCommandLine("port ships an"), ElementsAre("ships", "an"));
  EXPECT_THAT(SplitCommandLine("port ships "), ElementsAre("ships", ""));
  EXPECT_THAT(SplitCommandLine("port"), IsEmpty());
  EXPECT_THAT(SplitCommandLine(""), IsEmpty());
  EXPECT_THAT(SplitCommandLine(R"(port 'a b' "c\"d" e\ f '$(x)' "g h)"),
              ElementsAre("a b", "c\"d", "e f", "$(x)", "g h"));
  EXPECT_THAT(SplitCommandLine("port '' --a=b:c"), ElementsAre("", "--a=b:c"));
}

TEST(CompletionScript, NamesThePrograms) {
  const Arguments programs = {"port", "kubectl-port"};
  EXPECT_THAT(CompletionScript("bash", programs), HasSubstr("complete -F _port port kubectl-port"));
  EXPECT_THAT(CompletionScript("zsh", programs), HasSubstr("#compdef port kubectl-port"));
  EXPECT_THAT(CompletionScript("fish", programs), HasSubstr("for program in port kubectl-port"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::flags
