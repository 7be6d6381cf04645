#include "cel/device_selector.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cel/selector_testing.h"

namespace berth::cel {
namespace BERTH_TEST_FILE {

struct Case {
  const char* expression;
  const char* want;
};

void ExpectOutcomes(const std::vector<Case>& cases) {
  for (const Case& c : cases) {
    const std::string outcome = Outcome(c.expression);
    // Compile errors go on with the source line.
    EXPECT_EQ(outcome.substr(0, outcome.find('\n')), c.want) << c.expression;
  }
}

TEST(DeviceSelector, SeesTheFieldsOfADevice) {
  ExpectOutcomes({
      {R"(device.driver == "gpu.example.com")", "true"},
      {"device.allowMultipleAllocations", "false"},
      {R"(device.attributes["gpu.example.com"].model == "a100")", "true"},
      {R"(device.attributes["net.example.com"].ip == "10.0.0.5")", "true"},
      {R"(device.attributes[device.driver].index == 7)", "true"},
      {R"(device.capacity["gpu.example.com"].memory == quantity("40Gi"))", "true"},
      {R"(device.capacity["other.example.com"].bw.isLessThan(quantity("2")))", "true"},
      {"size(device.attributes) == 2", "true"},
      {"device.nosuch",
       "compile: compilation failed: ERROR: <input>:1:7: undefined field 'nosuch'"},
  });
}

TEST(DeviceSelector, AnAbsentDomainIsEmpty) {
  ExpectOutcomes({
      {R"(device.attributes["no.example.com"] == {})", "true"},
      {R"(device.attributes["no.example.com"].x == 1)", "runtime: no such key: x"},
      {R"("no.example.com" in device.attributes)", "false"},
      {"has(device.attributes.anything)", "true"},
      {R"(has(device.attributes["no.example.com"].x))", "false"},
      {R"(device.attributes[?"no.example.com"].hasValue())", "true"},
      {R"(device.attributes[?"no.example.com"].?x.hasValue())", "false"},
      {R"({"no.example.com": {}} == {"x": {}})", "false"},
      {R"({"a": {"x": dyn(1)}, "b": {"x": dyn(1)}} == device.attributes)", "false"},
  });
}

TEST(DeviceSelector, OperatorsFollowTheTypesAtRunTime) {
  ExpectOutcomes({
      {R"(device.attributes["gpu.example.com"].index == 7.0)", "true"},
      {R"(device.attributes["gpu.example.com"].index == "7")", "false"},
      {R"(device.attributes["gpu.example.com"].model < 5)", "runtime: no such overload"},
      {R"(device.attributes["gpu.example.com"].version == "1.10.3")", "runtime: no such overload"},
      {R"("1.10.3" == device.attributes["gpu.example.com"].version)", "false"},
      {R"(device.attributes["gpu.example.com"].version != "1.10.3")", "true"},
      {R"(device.attributes["gpu.example.com"].version in ["1.10.3"])",
       "runtime: internal error: runtime error: hash of unhashable type"},
      {R"(true || device.attributes["gpu.example.com"].version in ["1.10.3"])", "true"},
      {R"(device.attributes["gpu.example.com"].version in ["1.10.3"] || true)",
       "runtime: internal error: runtime error: hash of unhashable type"},
      {R"(quantity("1").add(1) == quantity("2"))", "true"},
      {R"(quantity("2") == quantity("1").add(1))", "runtime: no such overload"},
      {R"(quantity("1") == null)", "false"},
      {"1 == null",
       "compile: compilation failed: ERROR: <input>:1:3: found no matching overload for '_==_' "
       "applied to '(int, null)'"},
      {R"([quantity("1")].exists(q, q == quantity("1.0")))", "true"},
      {R"(dyn(1) < 2u && dyn(2u) < 2.5 && dyn(2.5) > 2)", "true"},
      {R"(double("NaN") < 1.0)", "runtime: NaN values cannot be ordered"},
      {R"(double("NaN") == double("NaN"))", "false"},
  });
}

TEST(DeviceSelector, LogicMakesUpForErrors) {
  ExpectOutcomes({
      {"1 / 0 == 1 || true", "true"},
      {"1 / 0 == 1 && false", "false"},
      {"1 / 0 == 1 || 1 % 0 == 1", "runtime: division by zero"},
      {"[0, 1].exists(x, 1 / x == 1)", "true"},
      {"[0, 1].all(x, 1 / x == 1)", "runtime: division by zero"},
      {"(1 / 0 == 1) ? true : true", "runtime: division by zero"},
      {"9223372036854775807 + 1 > 0", "runtime: integer overflow"},
      {"-9223372036854775808 / -1 > 0", "runtime: integer overflow"},
      {"-(-9223372036854775808) > 0", "runtime: integer overflow"},
      {"!!!!true", "true"},
      {"--1 == 1", "true"},
  });
}

TEST(DeviceSelector, ThereIsNoAuthorizer) {
  ExpectOutcomes({
      {R"(device.attributes["gpu.example.com"].model.allowed())",
       "runtime: no such overload: allowed(string)"},
      {"'x'.allowed()",
       "compile: compilation failed: ERROR: <input>:1:12: found no matching overload for 'allowed' "
       "applied to 'string.()'"},
  });
}

TEST(DeviceSelector, VariablesAreScoped) {
  ExpectOutcomes({
      {"[1].all(x, cel.bind(x, x + 1, x == 2))", "true"},
      {"cel.bind(a, [1].map(x, [2].map(z, z)), [5, 6].all(y, size(a) == 1 && y > 4))", "true"},
      {"[1].all(device, device == 1 && .device.driver != '')", "true"},
      {"cel.bind(x, 1 / 0, true)", "true"},
      {"cel.bind(x, 1 / 0, x == 1)", "runtime: division by zero"},
      {"[[1, 2], [3]].all(l, l.all(x, x > 0) && size(l) < 3)", "true"},
      {"{'a': 1, 'b': 2}.transformMap(k, v, v > 1, v * 2) == {'b': 4}", "true"},
      {"[1, 1].transformMapEntry(i, v, {v: i}).size() == 1",
       "runtime: insert failed: key 1 already exists"},
      {"[3, 1, 2].sortBy(x, -x) == [3, 2, 1]", "true"},
      {"[1, 2].all(x, y, x < y) && [1].existsOne(i, v, v == 1)", "true"},
      {"[1].all(1, true)",
       "compile: compilation failed: ERROR: <input>:1:9: argument must be a simple name"},
      {"[1].all(x, x, true)",
       "compile: compilation failed: ERROR: <input>:1:12: duplicate variable name: x"},
      {"[1].map(__result__, 1) == [1]",
       "compile: compilation failed: ERROR: <input>:1:9: iteration variable overwrites accumulator "
       "variable"},
  });
}

TEST(DeviceSelector, ListsThatGrowDoNotDisturbOthers) {
  ExpectOutcomes({
      {"cel.bind(a, [1] + [2], cel.bind(b, a + [3], cel.bind(c, a + [4], b == [1, 2, 3] && c == "
       "[1, 2, 4] && a == [1, 2])))",
       "true"},
      {"lists.range(100).map(x, x * 2).filter(x, x % 10 == 0).size() == 20", "true"},
      {"lists.range(50).transformMap(i, v, v * v)[7] == 49", "true"},
      {"{dyn(1): 'a', dyn(2.0): 'b', dyn(3u): 'c'}[dyn(2)] == 'b'", "true"},
  });
}

TEST(DeviceSelector, EstimatesAreWorstCases) {
  const auto estimate = [](std::string_view expression) {
    return *DeviceSelector::EstimateCost(expression);
  };
  EXPECT_EQ(estimate("true"), 0U);
  EXPECT_EQ(estimate(R"(device.driver == "gpu.example.com")"), 4U);
  EXPECT_EQ(estimate("device.attributes.exists(d, d == \"gpu.example.com\")"), 227U);
  EXPECT_EQ(estimate("lists.range(2000).map(x, 'x' + string(x)).size() == 2000"), UINT64_MAX);
}

TEST(DeviceSelector, NewObjectsMayNotUseWhatIsStillAlpha) {
  EXPECT_TRUE(DeviceSelector::Compile("[1].includes(1)"));
  EXPECT_FALSE(DeviceSelector::Compile("[1].includes(1)", DeviceSelector::Scope::kNew));
  EXPECT_TRUE(
      DeviceSelector::Compile("device.allowMultipleAllocations", DeviceSelector::Scope::kNew));
}

TEST(DeviceSelector, AnUnusableAttributeFailsEverySelector) {
  const Device::Attribute nothing[] = {{"names", {}}};
  const Device::Attribute version[] = {{"v", Device::Version{"1.2"}}};
  const auto selector = DeviceSelector::Compile("true");
  ASSERT_TRUE(selector);
  const auto message = [&](std::span<const Device::Attribute> attributes) {
    return selector->Evaluate(Device({.driver = "d", .attributes = attributes, .capacity = {}}))
        .matches.error()
        .message;
  };
  EXPECT_EQ(message(nothing), "attribute names: unsupported attribute value");
  EXPECT_EQ(message(version),
            "attribute v: parse semantic version: No Major.Minor.Patch elements found");
}

TEST(DeviceSelector, TheCostLimitIsInclusive) {
  const auto selector = DeviceSelector::Compile("[1, 2, 3].all(x, x > 0)");
  ASSERT_TRUE(selector);
  EXPECT_TRUE(selector->Evaluate(ExampleDevice(), 16).matches);
  const auto outcome = selector->Evaluate(ExampleDevice(), 15);
  ASSERT_FALSE(outcome.matches);
  EXPECT_EQ(outcome.matches.error().kind, EvaluationError::Kind::kCost);
  EXPECT_EQ(outcome.cost, 16U);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cel
