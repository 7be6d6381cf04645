#include "flags/flag_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flags/flag_group.h"

namespace berth::flags {
namespace BERTH_TEST_FILE {

using std::string_literals::operator""s;
using testing::ElementsAre;
using testing::HasSubstr;
using Arguments = std::vector<std::string>;

// A set with a flag of each kind of syntax.
class FlagSetTest : public testing::Test {
 protected:
  FlagSetTest() {
    FlagGroup group(flags_);
    group.Switch("all", all_, "All of them").Short('A');
    group.Text("output", output_, "Output format").Short('o').OneOf({"json", "yaml"});
    group.Text("name", name_, "Name of the one").As("NAME");
    group.Repeated("filename", files_, "File").Short('f').As("FILE");
    group.List("labels", labels_, "Labels");
    group.Uint("port", port_, "Port", 1);
    group.Uint("seed", seed_, "Seed");
    group.Double("speed", speed_, "Speed", 0.5, 100);
  }

  // Returns the error, or "".
  std::string Parse(const Arguments& arguments) {
    const Status status = flags_.Parse(arguments);
    return status ? "" : status.error().message;
  }

  bool all_ = false;
  std::string output_ = "json";
  std::string name_;
  std::vector<std::string> files_;
  std::vector<std::string> labels_ = {"default"};
  uint16_t port_ = 6443;
  uint64_t seed_ = 0;
  double speed_ = 1;
  FlagSet flags_;
};

TEST_F(FlagSetTest, ALongFlagTakesItsValueFromEitherSide) {
  EXPECT_EQ(Parse({"--name=a=b", "--output", "yaml", "--speed=2.5"}), "");
  EXPECT_EQ(name_, "a=b");
  EXPECT_EQ(output_, "yaml");
  EXPECT_EQ(speed_, 2.5);
  EXPECT_EQ(Parse({"--name="}), "");
  EXPECT_EQ(name_, "");
  // What follows a flag is its value, even if it looks like a flag.
  EXPECT_EQ(Parse({"--name", "--all", "--name", "--"}), "");
  EXPECT_EQ(name_, "--");
  EXPECT_FALSE(all_);
}

TEST_F(FlagSetTest, AShorthandTakesItsValueFromEitherSide) {
  for (const Arguments& arguments :
       {Arguments{"-oyaml"}, Arguments{"-o=yaml"}, Arguments{"-o", "yaml"}, Arguments{"-Aoyaml"}}) {
    output_ = "";
    EXPECT_EQ(Parse(arguments), "");
    EXPECT_EQ(output_, "yaml") << arguments[0];
  }
  EXPECT_TRUE(all_);
}

TEST_F(FlagSetTest, ASwitchTakesAValueOnlyAfterAnEqualsSign) {
  EXPECT_EQ(Parse({"--all", "false"}), "");
  EXPECT_TRUE(all_);
  EXPECT_THAT(flags_.positional(), ElementsAre("false"));
  EXPECT_EQ(Parse({"--all=false"}), "");
  EXPECT_FALSE(all_);
  EXPECT_EQ(Parse({"-A=1"}), "");
  EXPECT_TRUE(all_);
}

TEST_F(FlagSetTest, TheLastOfSeveralUsesCountsExceptInLists) {
  EXPECT_EQ(Parse({"--name=a", "-f", "a,b", "--labels=x,y", "--name=b", "-f-", "--labels=z"}), "");
  EXPECT_EQ(name_, "b");
  EXPECT_THAT(files_, ElementsAre("a,b", "-"));
  EXPECT_THAT(labels_, ElementsAre("x", "y", "z"));
}

TEST_F(FlagSetTest, ArgumentsMayStandBetweenFlags) {
  EXPECT_EQ(Parse({"a", "--all", "-", "", "--", "--name=b", "c"}), "");
  EXPECT_THAT(flags_.positional(), ElementsAre("a", "-", "", "--name=b", "c"));
  EXPECT_EQ(name_, "");
}

TEST_F(FlagSetTest, ASubcommandEndsTheFlagsOfItsParent) {
  flags_.StopAtFirstArgument();
  EXPECT_EQ(Parse({"--all", "run", "--nope", "--", "x"}), "");
  EXPECT_TRUE(all_);
  EXPECT_THAT(flags_.positional(), ElementsAre("run", "--nope", "--", "x"));
}

struct MalformedCase {
  Arguments arguments;
  std::string want;
};

const MalformedCase kMalformed[] = {
    {{"--nope"}, "unknown flag: --nope"},
    {{"--all-of-them=true"}, "unknown flag: --all-of-them"},
    {{"--ALL"}, "unknown flag: --ALL"},
    {{"--=x"}, "bad flag syntax: --=x"},
    {{"---all"}, "bad flag syntax: ---all"},
    {{"-x"}, "unknown shorthand flag: 'x' in -x"},
    {{"-Ax"}, "unknown shorthand flag: 'x' in -Ax"},
    {{"-="}, "unknown shorthand flag: '=' in -="},
    {{"-A="}, "unknown shorthand flag: '=' in -A="},
    {{"-\0"s}, "unknown shorthand flag: '\0' in -\0"s},
    {{"--name"}, "flag needs an argument: --name"},
    {{"-Af"}, "flag needs an argument: 'f' in -Af"},
    {{"--output=xml"},
     "invalid argument \"xml\" for \"-o, --output\" flag: must be one of json, yaml"},
    {{"-o", ""}, "invalid argument \"\" for \"-o, --output\" flag: must be one of json, yaml"},
    {{"--all=perhaps"},
     "invalid argument \"perhaps\" for \"-A, --all\" flag: strconv.ParseBool: parsing "
     "\"perhaps\": invalid syntax"},
    {{"--labels=\"a"},
     "invalid argument \"\\\"a\" for \"--labels\" flag: parse error on line 1, column 3: "
     "extraneous or missing \" in quoted-field"},
    {{"--port=0"},
     "invalid argument \"0\" for \"--port\" flag: must be an integer from 1 to 65535"},
    {{"--port", "65536"},
     "invalid argument \"65536\" for \"--port\" flag: must be an integer from 1 to 65535"},
    {{"--port=80x"},
     "invalid argument \"80x\" for \"--port\" flag: must be an integer from 1 to 65535"},
    {{"--port= 80"},
     "invalid argument \" 80\" for \"--port\" flag: must be an integer from 1 to 65535"},
    {{"--port=0x"},
     "invalid argument \"0x\" for \"--port\" flag: must be an integer from 1 to 65535"},
    {{"--seed=-1"},
     "invalid argument \"-1\" for \"--seed\" flag: must be an integer of at least 0"},
    {{"--seed=18446744073709551616"},
     "invalid argument \"18446744073709551616\" for \"--seed\" flag: must be an integer of at "
     "least 0"},
    {{"--seed="}, "invalid argument \"\" for \"--seed\" flag: must be an integer of at least 0"},
    {{"--speed=0.4"},
     "invalid argument \"0.4\" for \"--speed\" flag: must be a number from 0.5 to 100"},
    {{"--speed=nan"},
     "invalid argument \"nan\" for \"--speed\" flag: must be a number from 0.5 to 100"},
    {{"--speed=1e999"},
     "invalid argument \"1e999\" for \"--speed\" flag: must be a number from 0.5 to 100"},
};

TEST_F(FlagSetTest, MalformedArgumentsAreErrors) {
  for (const MalformedCase& c : kMalformed) EXPECT_EQ(Parse(c.arguments), c.want);
}

TEST_F(FlagSetTest, NumbersHaveTheWholeRangeOfTheirType) {
  EXPECT_EQ(Parse({"--seed=18446744073709551615", "--port=0xffff", "--speed=1e2"}), "");
  EXPECT_EQ(seed_, 18446744073709551615U);
  EXPECT_EQ(port_, 65535);
  EXPECT_EQ(speed_, 100);
}

TEST(FlagValuesTest, BytesHaveTheSuffixesOfQuantities) {
  const std::pair<const char*, uint64_t> good[] = {{"0", 0},
                                                   {"1000", 1000},
                                                   {"7k", 7000},
                                                   {"7Ki", 7 << 10},
                                                   {"512Mi", 512 << 20},
                                                   {"2G", 2'000'000'000},
                                                   {"1Gi", 1 << 30},
                                                   {"15Gi", uint64_t{15} << 30}};
  for (const auto& [text, bytes] : good) EXPECT_EQ(ParseBytes(text).value_or(1), bytes) << text;
  for (const char* text :
       {"", "Mi", "-1", "1.5Gi", "1 Mi", "1mi", "99999999999999999999", "99999999999Gi"})
    EXPECT_FALSE(ParseBytes(text)) << text;
  EXPECT_EQ(ShowBytes(512 << 20), "512Mi");
  EXPECT_EQ(ShowBytes(1 << 30), "1Gi");
  EXPECT_EQ(ShowBytes(1000), "1000");
  EXPECT_EQ(ShowBytes(0), "0");
}

TEST_F(FlagSetTest, ParsingStopsAtTheFirstError) {
  EXPECT_EQ(Parse({"--name=a", "--nope", "--name=b"}), "unknown flag: --nope");
  EXPECT_EQ(name_, "a");
}

TEST_F(FlagSetTest, ASimilarFlagIsSuggested) {
  EXPECT_EQ(Parse({"--nmae=a"}), "unknown flag: --nmae");
  EXPECT_EQ(flags_.SuggestionText(), "; did you mean --name?");
}

TEST_F(FlagSetTest, RequiredFlagsMustBeSet) {
  std::string a, b;
  FlagGroup(flags_).Text("from", a, "Start").Required();
  FlagGroup(flags_).Text("to", b, "End").Required();
  EXPECT_EQ(flags_.CheckRequired().error().message, "required flag(s) \"from\", \"to\" not set");
  EXPECT_EQ(Parse({"--to="}), "");
  EXPECT_EQ(flags_.CheckRequired().error().message, "required flag(s) \"from\" not set");
  EXPECT_EQ(Parse({"--from", "x"}), "");
  EXPECT_TRUE(flags_.CheckRequired().has_value());
}

TEST_F(FlagSetTest, HelpIsAlignedAndShowsDefaults) {
  FlagGroup(flags_, "API server").Switch("tls", all_, "Serve HTTPS");
  EXPECT_EQ(flags_.Help(),
            "\nFlags:\n"
            "  -A, --all              All of them\n"
            "  -f, --filename FILE    File\n"
            "      --labels strings   Labels (default [default])\n"
            "      --name NAME        Name of the one\n"
            "  -o, --output string    Output format (default \"json\")\n"
            "      --port N           Port (default 6443)\n"
            "      --seed N           Seed\n"
            "      --speed X          Speed (default 1)\n"
            "\nAPI server flags:\n\n"
            "      --tls   Serve HTTPS\n");
}

TEST(FlagSetHelp, IsWrappedBetweenWords) {
  bool on = false;
  FlagSet flags;
  FlagGroup(flags).Switch("on", on, "Do not renew node leases or mark nodes unreachable");
  EXPECT_EQ(flags.Help(40),
            "\nFlags:\n"
            "      --on   Do not renew node leases or\n"
            "             mark nodes unreachable\n");
  // A terminal that is too narrow for columns breaks the lines itself.
  EXPECT_THAT(flags.Help(30), HasSubstr("leases or mark nodes unreachable\n"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::flags
