#include "scheduler/plugins/node_resources/fit_args.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace berth::scheduler::plugins {
namespace BERTH_TEST_FILE {

using Args = framework::NodeResourcesFitArgs;
using Shape = std::vector<framework::ShapePoint>;

struct ArgsCase {
  const char* name;
  Args args;
  const char* want;  // The error; empty if there is none.
};

Args Ignoring(std::vector<std::string> resources, std::vector<std::string> groups) {
  Args args;
  args.ignored_resources = std::move(resources);
  args.ignored_resource_groups = std::move(groups);
  return args;
}

Args Strategy(std::string type, std::vector<framework::ResourceWeight> resources,
              std::optional<Shape> shape = {}) {
  Args args;
  args.scoring_strategy = {std::move(type), std::move(resources), std::move(shape)};
  return args;
}

Args Curve(Shape shape) {
  return Strategy("RequestedToCapacityRatio", {{"cpu", 1}}, std::move(shape));
}

class FitArgsTest : public testing::TestWithParam<ArgsCase> {};

TEST_P(FitArgsTest, Validate) {
  const Status status = ValidateNodeResourcesFitArgs(GetParam().args);
  EXPECT_EQ(status ? "" : status.error().message, GetParam().want);
}

const ArgsCase kCases[] = {
    {"TheDefaultsAreFine", {}, ""},
    {"NamesAndGroupsAreFine", Ignoring({"example.com/gpu", "shoes"}, {"example.com"}), ""},
    {"NamesMustBeQualifiedNames", Ignoring({"example.com/gpu", "a/b/c"}, {}),
     "ignoredResources[1]: Invalid value: \"a/b/c\": a qualified name must consist of alphanumeric "
     "characters, "
     "'-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or "
     "'my.name',  or "
     "'123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an "
     "optional DNS "
     "subdomain prefix and '/' (e.g. 'example.com/MyName')"},
    {"GroupsHaveNoSlash", Ignoring({}, {"example.com/gpu"}),
     "ignoredResourceGroups[0]: Invalid value: \"example.com/gpu\": resource group name can't "
     "contain '/'"},
    {"MostAllocatedIsFine", Strategy("MostAllocated", {{"cpu", 100}, {"memory", 1}}), ""},
    {"OtherStrategiesAreNot", Strategy("Tetris", {{"cpu", 1}}),
     "scoringStrategy.type: Unsupported value: \"Tetris\": supported values: \"LeastAllocated\", "
     "\"MostAllocated\", \"RequestedToCapacityRatio\""},
    {"WeightsAreOneToHundred",
     Strategy("LeastAllocated", {{"cpu", 0}, {"memory", 101}, {"x.y/z", 100}}),
     "[scoringStrategy.resources[0].weight: Invalid value: 0: resource weight of cpu not in valid "
     "range (0, 100], "
     "scoringStrategy.resources[1].weight: Invalid value: 101: resource weight of memory not in "
     "valid range "
     "(0, 100]]"},
    {"NegativeWeightsAreNot", Strategy("LeastAllocated", {{"cpu", -1}}),
     "scoringStrategy.resources[0].weight: Invalid value: -1: resource weight of cpu not in valid "
     "range (0, 100]"},
    {"CurvesNeedAShape", Strategy("RequestedToCapacityRatio", {{"cpu", 1}}),
     "scoringStrategy.requestedToCapacityRatio: Required value: must be specified when type is "
     "RequestedToCapacityRatio"},
    {"OthersHaveNone", Strategy("MostAllocated", {{"cpu", 1}}, Shape{{0, 0}}),
     "scoringStrategy.requestedToCapacityRatio: Forbidden: must be nil when type is not "
     "RequestedToCapacityRatio"},
    {"ShapesHaveAPoint", Curve({}),
     "scoringStrategy.requestedToCapacityRatio.shape: Required value: at least one point must be "
     "specified"},
    {"OnePointIsEnough", Curve({{50, 5}}), ""},
    {"TheExtremesAreFine", Curve({{0, 10}, {100, 0}}), ""},
    {"UtilizationRises", Curve({{0, 0}, {50, 5}, {50, 6}, {40, 6}}),
     "scoringStrategy.requestedToCapacityRatio.shape[2].utilization: Invalid value: 50: values "
     "must be sorted in "
     "increasing order"},
    {"UtilizationIsAShare", Curve({{-1, 0}, {101, 10}}),
     "[scoringStrategy.requestedToCapacityRatio.shape[0].utilization: Invalid value: -1: not in "
     "valid range "
     "[0, 100], scoringStrategy.requestedToCapacityRatio.shape[1].utilization: Invalid value: 101: "
     "not in valid "
     "range [0, 100]]"},
    {"ScoresAreZeroToTen", Curve({{0, -1}, {100, 11}}),
     "[scoringStrategy.requestedToCapacityRatio.shape[0].score: Invalid value: -1: not in valid "
     "range [0, 10], "
     "scoringStrategy.requestedToCapacityRatio.shape[1].score: Invalid value: 11: not in valid "
     "range [0, 10]]"},
};

INSTANTIATE_TEST_SUITE_P(All, FitArgsTest, testing::ValuesIn(kCases),
                         [](const auto& c) { return c.param.name; });

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::plugins
