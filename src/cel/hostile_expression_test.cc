// Expressions that were written to exhaust something: each is refused or cancelled.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "cel/limits.h"
#include "cel/selector_testing.h"

namespace berth::cel {
namespace BERTH_TEST_FILE {

std::string Repeat(std::string_view text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

constexpr std::string_view kTooNested =
    "compile: compilation failed: ERROR: <input>:-1:0: expression recursion limit exceeded: 250";

TEST(HostileExpression, NestingIsLimited) {
  const auto nested = [](std::string_view open, std::string_view middle, std::string_view close,
                         int depth) {
    return FirstLine(Outcome(Repeat(open, depth) + std::string(middle) + Repeat(close, depth)));
  };
  EXPECT_EQ(nested("(", "true", ")", 200), "true");
  EXPECT_EQ(nested("(", "true", ")", 300), kTooNested);
  EXPECT_EQ(nested("(", "true", ")", 40'000), kTooNested);
  EXPECT_EQ(nested("[", "", "]", 40'000), kTooNested);
  EXPECT_EQ(nested("true ? ", "true", " : false", 40'000).substr(0, 8), "compile:");
  EXPECT_EQ(FirstLine(Outcome(Repeat("true ? true : ", 6'000) + "true")), kTooNested);
  EXPECT_EQ(FirstLine(Outcome("device" + Repeat(".a", 40'000))), kTooNested);
  EXPECT_EQ(FirstLine(Outcome("1" + Repeat("+1", 40'000) + "==1")), kTooNested);
  EXPECT_EQ(FirstLine(Outcome("true" + Repeat("==true", 10'000))), kTooNested);
  EXPECT_EQ(FirstLine(Outcome(Repeat("f(", 30'000))), kTooNested);
  EXPECT_EQ(FirstLine(Outcome(Repeat("{1:", 30'000))), kTooNested);
}

TEST(HostileExpression, LongChainsAreNotNested) {
  EXPECT_EQ(Outcome("true" + Repeat(" && true", 5'000)), "true");
  EXPECT_EQ(Outcome(Repeat("!", 50'000) + "true"), "true");
  EXPECT_EQ(Outcome("size([1" + Repeat(",1", 20'000) + "]) == 20001"), "true");
}

TEST(HostileExpression, DeepLoopsFitTheStack) {
  EXPECT_EQ(Outcome(Repeat("[1].all(x, ", 120) + "true" + Repeat(")", 120)), "true");
  EXPECT_EQ(Outcome(Repeat("[", 240) + Repeat("].map(x, x)", 240) + ".size() == 1"), "true");
}

TEST(HostileExpression, LengthIsLimited) {
  EXPECT_EQ(Outcome("true" + std::string(kMaxCodePoints, ' ')).substr(0, 84),
            "compile: compilation failed: ERROR: <input>:-1:0: expression code point size exceeds");
}

// optMap repeats its operand, so that a chain doubles with each call.
TEST(HostileExpression, MacrosThatDoubleTheExpression) {
  const std::string chain = "device.?driver" + Repeat(".optMap(x, x)", 60) + ".hasValue()";
  EXPECT_EQ(FirstLine(Outcome(chain)),
            "compile: compilation failed: ERROR: <input>:-1:0: more than 100000 nodes");
  EXPECT_EQ(Outcome("device.?driver" + Repeat(".optMap(x, x)", 5) + ".hasValue()"), "true");
}

// Each variable is a container of two of the one before.
std::string Doubling(std::string_view container, int count, std::string_view result) {
  std::string text = "cel.bind(v0, [1], ";
  for (int i = 1; i <= count; ++i) {
    std::string item(container);
    for (size_t at = 0; (at = item.find('$', at)) != std::string::npos;) {
      item.replace(at, 1, "v" + std::to_string(i - 1));
    }
    text += "cel.bind(v" + std::to_string(i) + ", " + item + ", ";
  }
  return text + std::string(result) + std::string(static_cast<size_t>(count) + 1, ')');
}

TEST(HostileExpression, TypesThatDouble) {
  const std::string text = Doubling("{$: $}", 100, "true");
  EXPECT_EQ(Outcome(text).substr(0, 8), "compile:");
  EXPECT_EQ(FirstLine(Outcome(Doubling("[{'a': [$]}]", 240, "true"))).substr(0, 8), "compile:");
}

TEST(HostileExpression, ValuesThatDouble) {
  // The comparison looks at 2^40 items.
  EXPECT_EQ(Outcome(Doubling("[dyn($), dyn($)]", 40, "v40 == v40")).substr(0, 5), "cost:");
  EXPECT_EQ(Outcome(Doubling("[dyn($), dyn($)]", 40, "'%s'.format([v40]) == ''")).substr(0, 5),
            "cost:");
  EXPECT_EQ(Outcome(Doubling("[dyn($), dyn($)]", 40, "v40.flatten(100) == []")).substr(0, 5),
            "cost:");
  EXPECT_EQ(Outcome(Doubling("[dyn($), dyn($)]", 40, "dyn(v40).indexOf(1) == 0")).substr(0, 5),
            "cost:");
  EXPECT_EQ(Outcome(Doubling("$ + $", 60, "size(v60) == 0")).substr(0, 5), "cost:");
}

TEST(HostileExpression, StringsThatGrow) {
  EXPECT_EQ(
      Outcome("cel.bind(a, 'aaaaaaaaaa'.replace('', 'bbbbbbbbbb'), cel.bind(b, a.replace('', a),"
              " cel.bind(c, b.replace('', b), c.replace('', c) == '')))")
          .substr(0, 5),
      "cost:");
  EXPECT_EQ(Outcome("'%.999999999f'.format([1.0]) == ''").substr(0, 5), "cost:");
  EXPECT_EQ(Outcome("lists.range(9223372036854775807).size() == 0"),
            "cost: operation cancelled: actual cost limit exceeded");
  EXPECT_EQ(Outcome("lists.range(-5) == []"), "true");
}

// A unit is charged for what reads a megabyte.
TEST(HostileExpression, LongTextsInCheapFunctions) {
  const std::string_view work[] = {
      "size(s) > 0",
      "s.charAt(1) == 'a'",
      "s in [dyn(t)]",
      "isURL(s)",
      "{dyn('a'): 1}[?s] != optional.of(1)",
      "[s] == [t]",
  };
  for (const std::string_view expression : work) {
    const std::string text =
        "cel.bind(s, 'aaaaaaaaaa'.replace('', 'bbbbbbbbbb').replace('', 'cccccccccc').replace('', "
        "'dddddddddd').replace('', 'eeeeeeeeee').replace('', 'fffffffffff'), cel.bind(t, "
        "s.replace('a', 'a', 1) + '', lists.range(50000).all(x, " +
        std::string(expression) + " || true)))";
    const std::string outcome = Outcome(text);
    EXPECT_EQ(outcome.substr(0, 5), "cost:") << expression << ": " << outcome;
  }
}

TEST(HostileExpression, RegularExpressions) {
  EXPECT_EQ(FirstLine(Outcome("'a'.matches('((a{1,100}){1,100}){1,100}')")),
            "compile: compilation failed: ERROR: <input>:1:13: invalid matches argument");
  EXPECT_EQ(Outcome("'" + std::string(5'000, 'a') + "b'.matches('(a*)*(a*)*(a*)*c')"), "false");
  EXPECT_EQ(
      FirstLine(
          Outcome("lists.range(10000).exists(x, string(x).matches('(a|b' + '|[a-z]{500}' + ')'))"))
          .substr(0, 5),
      "cost:");
  // A long text times a large expression, at a cost of a fraction of the limit.
  const std::string a_million =
      "cel.bind(s, 'aaaaaaaaaa'.replace('', 'bbbbbbbbbb').replace('', 'cccccccccc').replace('', "
      "'dddddddddd').replace('', 'eeeeeeeeee'), s.";
  for (const char* call : {"matches('[a-z]{900}0'))", "find('[a-z]{900}0') == '')",
                           "findAll('[a-z]{900}0').size() == 0)"}) {
    EXPECT_EQ(FirstLine(Outcome(a_million + call)),
              "cost: operation cancelled: more than 20000000 steps")
        << call;
  }
}

TEST(HostileExpression, BytesThatAreNoText) {
  EXPECT_EQ(Outcome("\xff\xfe").substr(0, 8), "compile:");
  EXPECT_EQ(Outcome("'\xff' == '\xff'"), "true");
  EXPECT_EQ(Outcome(std::string("true\0", 5)).substr(0, 8), "compile:");
  EXPECT_EQ(Outcome("size('\xe2\x82') == 2"), "true");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cel
