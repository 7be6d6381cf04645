#include "benchmark/go_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace berth::benchmark {
namespace BERTH_TEST_FILE {

using ::testing::HasSubstr;

const TemplateValues kValues = {
    {"Index", int64_t{7}}, {"Count", int64_t{10}},       {"size", 2.5},
    {"groups", 4.0},       {"mode", std::string("all")}, {"none", std::string()}};

// Returns the result, or "error: ...".
std::string Expanded(std::string_view text) {
  const auto parsed = GoTemplate::Parse(text);
  if (!parsed) return "error: " + parsed.error().message;
  const auto result = parsed->Expand(kValues);
  return result ? *result : "error: " + result.error().message;
}

struct Case {
  std::string text;
  std::string want;
};

TEST(GoTemplate, Expands) {
  const Case cases[] = {
      {"plain", "plain"},
      {"node-{{.Index}}-", "node-7-"},
      {"{{ .Index }} of {{ .Count }}", "7 of 10"},
      {"{{.size}} {{.groups}} {{.mode}}", "2.5 4 all"},
      {"{{Mod .Index 4}}", "3"},
      {"{{DivideInt .Index 2}}", "3"},
      {"{{DivideFloat .Index 2}}", "3.5"},
      {"{{AddInt 7000 (Mod .Index (DivideInt .Count .groups))}}", "7001"},
      {"{{SubtractInt .Index 9}} {{MultiplyInt 2 3 4}} {{AddFloat 0.5 1}}", "-2 24 1.5"},
      {"{{Int \"12\"}} {{JSON .mode}}", "12 \"all\""},
      {"{{.Index | AddInt 1}}", "8"},
      {"a {{- .Index -}} b", "a7b"},
      {"a{{/* a comment */}}b", "ab"},
      {"{{if .mode}}yes{{end}}{{if .none}}no{{end}}", "yes"},
      {"{{if .missing}}yes{{else}}no{{end}}", "no"},
      {"{{if eq .Index 3}}three{{else if eq .Index 7}}seven{{else}}other{{end}}", "seven"},
      {"{{if and .mode (gt .Count 3)}}{{if not .none}}both{{end}}{{end}}", "both"},
      {"{{if or (lt .Index 3) (ne .mode \"all\")}}yes{{else}}no{{end}}", "no"},
  };
  for (const Case& c : cases) EXPECT_EQ(Expanded(c.text), c.want) << c.text;
}

TEST(GoTemplate, SaysWhatIsWrongAndWhere) {
  const Case cases[] = {
      {"a\nb {{.Index", "error: line 2: {{ without }}"},
      {"{{.missing}}", "error: line 1: .missing has no value; set it in templateParams"},
      {"\n{{Foo 1}}", "error: line 2: unknown function \"Foo\""},
      {"{{AddInt (Mod 3 2}}", "error: line 1: a ) is missing"},
      {"{{AddInt 1 \"x\"}}", "error: line 1: AddInt: \"x\" is not a number"},
      {"{{DivideInt 1 0}}", "error: line 1: DivideInt: division by zero"},
      {"{{Mod 1 0}}", "error: line 1: Mod: division by zero"},
      {"{{Mod 1}}", "error: line 1: Mod: wants 2 arguments, has 1"},
      {"{{MultiplyInt 1e300 1e300}}",
       "error: line 1: MultiplyInt: the result is too large for an "
       "integer"},
      {"{{range .Items}}{{end}}", "error: line 1: {{range}} is not supported in templates"},
      {"{{$x := 1}}", "error: line 1: \"$x := 1\" is not supported in templates"},
      {"{{if .mode}}", "error: line 1: {{if}} without {{end}}"},
      {"{{end}}", "error: line 1: {{end}} without {{if}}"},
      {"{{.Index 3}}", "error: line 1: unexpected \"3\""},
      {"{{}}", "error: line 1: an expression is missing"},
      {"{{\"open}}", "error: line 1: a string must end on its line, and have no backslash"},
  };
  for (const Case& c : cases) EXPECT_EQ(Expanded(c.text), c.want) << c.text;
}

TEST(GoTemplate, LimitsNestingAndSize) {
  std::string conditions, ends, open, close;
  for (size_t i = 0; i < GoTemplate::kMaxDepth + 2; ++i) {
    conditions += "{{if .mode}}";
    ends += "{{end}}";
    open += "(";
    close += ")";
  }
  EXPECT_THAT(Expanded(conditions + ends), HasSubstr("{{if}} is nested too deep"));
  EXPECT_THAT(Expanded("{{" + open + "1" + close + "}}"),
              HasSubstr("parentheses are nested too deep"));
  EXPECT_THAT(Expanded(std::string(GoTemplate::kMaxResult, 'x') + "{{.Index}}"),
              HasSubstr("the result has more than"));
}

TEST(GoTemplate, KnowsWhetherItIsConstant) {
  EXPECT_TRUE(GoTemplate::Parse("name: pod")->is_constant());
  EXPECT_TRUE(GoTemplate::Parse("name: pod{{/* always */}}")->is_constant());
  EXPECT_FALSE(GoTemplate::Parse("name: pod-{{.Index}}")->is_constant());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::benchmark
