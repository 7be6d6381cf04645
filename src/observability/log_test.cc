#include "observability/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

#include "base/text.h"

namespace berth::observability {
namespace BERTH_TEST_FILE {

using testing::HasSubstr;
using testing::StartsWith;

// 2024-06-05 12:34:56.123456 UTC
constexpr Instant kNow = {1'717'590'896'123'456'789};

struct Lines {
  explicit Lines(LogOptions options = {}) { logger.Configure(std::move(options)); }

  SimClock clock{kNow};
  std::string errors;
  std::string infos;
  Logger logger{clock, 4321, [this](std::string_view text) { errors += text; },
                [this](std::string_view text) { infos += text; }};
};

// Returns the line without its header.
std::string Body(const std::string& line) {
  const size_t end = line.find("] ");
  return end == line.npos ? line : line.substr(end + 2);
}

class LogTest : public testing::Test {
 protected:
  void SetUp() override {
    setenv("TZ", "UTC", 1);
    tzset();
  }
};

TEST_F(LogTest, ATextLineHasKlogsHeader) {
  Lines lines;
  const auto where = std::source_location::current();
  lines.logger.Info(2, where, "Successfully bound pod to node",
                    {{"pod", "default/a"}, {"evaluatedNodes", 3}});
  EXPECT_EQ(lines.errors,
            "I0605 12:34:56.123456    4321 log_test.cc:" + std::to_string(where.line()) +
                "] \"Successfully bound pod to node\" pod=\"default/a\" evaluatedNodes=3\n");
}

TEST_F(LogTest, WarningsAndErrorsHaveTheirLetters) {
  Lines lines;
  lines.logger.Warning(std::source_location::current(), "say \"this\"");
  lines.logger.Failure(std::source_location::current(), Error{"boom"}, "command failed");
  EXPECT_THAT(lines.errors, StartsWith("W0605 "));
  EXPECT_THAT(lines.errors, HasSubstr("] say \"this\"\nE0605 "));
  EXPECT_THAT(lines.errors, HasSubstr("] \"command failed\" err=\"boom\"\n"));
}

struct ValueCase {
  const char* name;
  LogValue value;
  const char* text;
  const char* json;
};

TEST_F(LogTest, ValuesAreWrittenAsKlogDoes) {
  const std::vector<std::string> list = {"a", "b\"c"};
  const std::vector<std::string> nothing;
  const Error error{"no"};
  const ValueCase cases[] = {
      {"Text", "a\"b\\c", R"("a\"b\\c")", R"("a\"b\\c")"},
      {"Controls", std::string_view("a\x01\t\x7f", 4), R"("a\x01\t\x7f")", nullptr},
      {"BadUtf8", "a\xff", R"("a\xff")", nullptr},
      {"Unicode", "n\xc3\xb6", "\"n\xc3\xb6\"", "\"n\xc3\xb6\""},
      {"Empty", "", R"("")", R"("")"},
      {"Lines", "a\nb", "<\n\ta\n\tb\n >", R"("a\nb")"},
      {"LinesWithEnd", "a\nb\n", "<\n\ta\n\tb\n >", R"("a\nb\n")"},
      {"Bool", true, "true", "true"},
      {"Number", -7, "-7", "-7"},
      {"Fraction", 0.5, "0.5", "0.5"},
      {"Duration", Duration::Millis(1500), R"("1.5s")", R"("1.5s")"},
      {"List", list, R"(["a","b\"c"])", R"(["a","b\"c"])"},
      {"EmptyList", nothing, "[]", "[]"},
      {"Error", error, R"("no")", R"("no")"},
  };
  for (const ValueCase& c : cases) {
    const LogField field{"k", c.value};
    const LogEntry entry{.message = "m", .fields = {&field, 1}};
    EXPECT_EQ(Body(TextLine(entry, kNow, 1)), std::string("\"m\" k=") + c.text + "\n") << c.name;
    if (c.json == nullptr) continue;
    EXPECT_THAT(JsonLine(entry, kNow), HasSubstr(std::string(",\"k\":") + c.json + "}\n"))
        << c.name;
  }
}

TEST_F(LogTest, JsonLinesHaveTimeCallerAndLevel) {
  Lines lines({.json = true, .verbosity = 3});
  const auto where = std::source_location::current();
  const std::string caller = "observability/log_test.cc:" + std::to_string(where.line());
  lines.logger.Info(3, where, "Attempting", {{"pod", "a/b"}});
  lines.logger.Failure(where, "bad", "command failed");
  EXPECT_EQ(lines.errors, "{\"ts\":1717590896123.4568,\"caller\":\"" + caller +
                              "\",\"msg\":\"Attempting\",\"v\":3,\"pod\":\"a/b\"}\n"
                              "{\"ts\":1717590896123.4568,\"caller\":\"" +
                              caller + "\",\"msg\":\"command failed\",\"err\":\"bad\"}\n");
}

TEST_F(LogTest, PlainLinesHaveNoQuotes) {
  Lines lines;
  lines.logger.Plain(1, std::source_location::current(), "FLAG: --v=\"1\"");
  EXPECT_EQ(Body(lines.errors), "FLAG: --v=\"1\"\n");
}

TEST_F(LogTest, VerbosityAndVmoduleDecideWhatIsOn) {
  Lines lines({.verbosity = 2, .vmodule = {{"sched*", 5}, {"q?eue", 0}}});
  const Logger& logger = lines.logger;
  EXPECT_TRUE(logger.IsOn(2, "src/daemon/options.cc"));
  EXPECT_FALSE(logger.IsOn(3, "src/daemon/options.cc"));
  EXPECT_TRUE(logger.IsOn(5, "src/engine/scheduling.cc"));
  EXPECT_FALSE(logger.IsOn(6, "src/engine/scheduling.cc"));
  EXPECT_FALSE(logger.IsOn(3, "src/queue/queue.cc"));
  lines.logger.set_verbosity(4);
  EXPECT_TRUE(logger.IsOn(4, "src/daemon/options.cc"));
}

TEST_F(LogTest, PatternsMatchNames) {
  EXPECT_TRUE(MatchesPattern("scheduling", "sch*ing"));
  EXPECT_TRUE(MatchesPattern("abab", "*ab"));
  EXPECT_TRUE(MatchesPattern("", "*"));
  EXPECT_FALSE(MatchesPattern("scheduling", "sch"));
  EXPECT_FALSE(MatchesPattern("sch", "sch?"));
}

TEST_F(LogTest, SplitStreamsSeparateInfoLines) {
  Lines lines({.split_stream = true});
  lines.logger.Info(0, std::source_location::current(), "info");
  lines.logger.Failure(std::source_location::current(), "", "error");
  EXPECT_THAT(lines.infos, HasSubstr("\"info\""));
  EXPECT_THAT(lines.errors, HasSubstr("] \"error\"\n"));
}

TEST_F(LogTest, InfoLinesAreBufferedUntilTheBufferIsFullOrFlushed) {
  Lines lines(
      {.split_stream = true, .info_buffer_bytes = 150, .flush_frequency = Duration::Seconds(3600)});
  lines.logger.Info(0, std::source_location::current(), "one");
  EXPECT_EQ(lines.infos, "");
  lines.logger.Info(0, std::source_location::current(), std::string(120, 'x'));
  EXPECT_THAT(lines.infos, HasSubstr("\"one\""));
  EXPECT_THAT(lines.infos, testing::Not(HasSubstr("xx")));
  lines.logger.Flush();
  EXPECT_THAT(lines.infos, HasSubstr("xx"));
}

TEST_F(LogTest, DisabledLinesAreNotEvaluated) {
  int evaluated = 0;
  const auto count = [&] { return ++evaluated; };
  Log().set_verbosity(0);
  LOG_V(5, "never", {{"count", count()}});
  EXPECT_EQ(evaluated, 0);
}

TEST(GoQuoteTest, ListsAreInBrackets) {
  const std::vector<std::string> list = {"a", "b c"};
  EXPECT_EQ(GoQuote(list), R"(["a" "b c"])");
  EXPECT_EQ(GoQuote(std::string_view("\xe2\x80\x8b")), R"("\u200b")");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::observability
