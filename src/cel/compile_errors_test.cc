// The messages of expressions that do not compile.
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "cel/device_selector.h"

namespace berth::cel {
namespace BERTH_TEST_FILE {

std::string CompileMessage(std::string_view expression) {
  const auto selector = DeviceSelector::Compile(expression);
  return selector ? "compiles" : selector.error().message;
}

TEST(CompileErrors, ShowThePlaceInTheSource) {
  EXPECT_EQ(CompileMessage("device.nosuch"),
            "compilation failed: ERROR: <input>:1:7: undefined field 'nosuch'\n"
            " | device.nosuch\n"
            " | ......^");
  EXPECT_EQ(
      CompileMessage("'\u6771' == 1 ||\n\tx"),
      "compilation failed: ERROR: <input>:1:5: found no matching overload for '_==_' applied to "
      "'(string, int)'\n"
      " | '\u6771' == 1 ||\n"
      " | .\uFF0E..^\n"
      "ERROR: <input>:2:2: undeclared reference to 'x' (in container '')\n"
      " |  x\n"
      " | .^");
}

TEST(CompileErrors, ShowAHundredAtMost) {
  std::string expression = "x";
  for (int i = 0; i < 150; ++i) expression += " || x";
  const std::string message = CompileMessage(expression);
  EXPECT_NE(message.find("\n51 more errors were truncated"), std::string::npos);
}

struct SyntaxCase {
  const char* expression;
  const char* want;  // After "compilation failed: ERROR: <input>:".
};

TEST(CompileErrors, Syntax) {
  const SyntaxCase cases[] = {
      {"",
       "1:1: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', "
       "'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"},
      {"true &", "1:6: Syntax error: token recognition error at: '&'"},
      {"(true", "1:6: Syntax error: missing ')' at '<EOF>'"},
      {"true true", "1:6: Syntax error: extraneous input 'true' expecting <EOF>"},
      {"[1, 2", "1:6: Syntax error: missing ']' at '<EOF>'"},
      {"true ? true", "1:12: Syntax error: mismatched input '<EOF>' expecting ':'"},
      {"device.in", "1:8: Syntax error: no viable alternative at input '.in'"},
      {"device.`a`", "1:8: unsupported syntax: '`'"},
      {"if == 1", "1:1: reserved identifier: if"},
      {"\"\\q\" == 1", "1:1: Syntax error: token recognition error at: '\"\\q'"},
      {"'abc", "1:1: Syntax error: token recognition error at: ''abc'"},
      {"'\\ud800' == ''", "1:1: invalid unicode code point"},
      {"b'\\u0041' == b''", "1:1: unable to unescape string"},
      {"9223372036854775808 == 1", "1:1: invalid int literal"},
      {"18446744073709551616u == 1u", "1:1: invalid uint literal"},
      {"1e999 == 1.0", "1:1: invalid double literal"},
      {"a.b.Msg{f: 1} == 1", "1:8: undeclared reference to 'a.b.Msg' (in container '')"},
      {"has(1)", "1:5: invalid argument to has() macro"},
      {"cel.bind(1, 2, true)", "1:10: cel.bind() variable names must be simple identifiers"},
      {"#", "1:1: Syntax error: token recognition error at: '#'"},
  };
  for (const SyntaxCase& c : cases) {
    const std::string message = CompileMessage(c.expression);
    EXPECT_EQ(message.substr(0, message.find('\n')),
              std::string("compilation failed: ERROR: <input>:") + c.want)
        << c.expression;
  }
}

TEST(CompileErrors, EscapesAndLiteralsThatAreFine) {
  for (const char* expression : {
           R"('\x41\101\u0041\U00000041' == "AAAA")",
           R"(b'\xff\377' == b'\377\xff')",
           R"(r'\n' == '\\n' && """a"b""" == 'a"b' && '''x''' == 'x' && R"\d" == '\\d')",
           "\"\"\"a\r\nb\"\"\" == 'a\\nb'",
           R"('\a\b\f\n\r\t\v\'\"\\\?\`'.size() == 12)",
           "br'\\x' == b'\\\\x' && .5 == 0.5 && 1.5e-1 == 0.15 && 0xFFu == 255u && 007 == 7",
           "[1, 2,].size() == 2 && [,].size() == 0 && {,}.size() == 0 && {'a': 1,}.size() == 1",
           "true // comment\n // another\n",
           "1 + 2 * 3 == 7 && 10 - 2 - 3 == 5 && 2 * 3 % 4 == 2 && (1 == 1) == true",
           "false ? false : true ? true : false",
           "-1 - -1 == 0 && - 1 == -1 && !(-1 > 0)",
       }) {
    EXPECT_EQ(CompileMessage(expression), "compiles") << expression;
  }
}

TEST(CompileErrors, Types) {
  const SyntaxCase cases[] = {
      {"[1, 'a'] == []", "1:5: expected type 'int' but found 'string'"},
      {"{'a': 1, 2: 2} == {}", "1:10: expected type 'string' but found 'int'"},
      {"1.foo == 1", "1:2: type 'int' does not support field selection"},
      {"[1].all(x, x)", "1:12: expected type 'bool' but found 'int'"},
      {"1 && true", "1:1: expected type 'bool' but found 'int'"},
      {"[?1] == [1]", "1:3: expected type 'optional_type(int)' but found 'int'"},
      {"'a'.matches('[')", "1:13: invalid matches argument"},
      {"matches('[', device.driver)", "1:9: invalid matches argument"},
      {"timestamp('x') == timestamp(0)", "1:11: invalid timestamp argument"},
  };
  for (const SyntaxCase& c : cases) {
    const std::string message = CompileMessage(c.expression);
    EXPECT_EQ(message.substr(0, message.find('\n')),
              std::string("compilation failed: ERROR: <input>:") + c.want)
        << c.expression;
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cel
