#include "localcluster/stage_reader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "api/field_errors.h"

namespace berth::localcluster {
namespace BERTH_TEST_FILE {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string StageText(std::string_view spec, std::string_view name = "a") {
  return fmt::format(
      "apiVersion: berth.dev/v1alpha1\nkind: Stage\nmetadata: {{name: {}}}\nspec: {}\n", name,
      spec);
}

std::string ErrorOf(std::string_view text) {
  const auto stages = ReadStages(text, "s.yaml");
  return stages ? "ok" : stages.error().message;
}

TEST(StageReader, ReadsAllFields) {
  const auto stages = ReadStages(R"(
apiVersion: berth.dev/v1alpha1
kind: Stage
metadata: {name: crash}
spec:
  resourceRef: {apiGroup: v1, kind: Pod}
  selector:
    matchLabels: {app: web}
    matchAnnotations: {example.com/crash: "yes"}
    matchExpressions:
    - {key: .metadata.namespace, operator: NotIn, values: [kube-system, shop]}
    - {key: '.metadata.ownerReferences[].kind', operator: In, values: [Job]}
    - {key: '.metadata.labels["example.com/a.b"]', operator: Exists}
  weight: 3
  delay: {durationMilliseconds: 1500, jitterDurationMilliseconds: 2500}
  next: {status: Error, exitCode: 3, times: 4}
---
# A document may be empty.
---
{"apiVersion": "berth.dev/v1alpha1", "kind": "Stage", "metadata": {"name": "gone"},
 "spec": {"next": {"status": "Deleted"}}}
)",
                                 "s.yaml");
  ASSERT_TRUE(stages) << stages.error().message;
  ASSERT_EQ(stages->all().size(), 2u);
  const Stage& crash = stages->all()[0];
  EXPECT_EQ(crash.name, "crash");
  EXPECT_EQ(crash.weight, 3u);
  EXPECT_EQ(crash.delay, Duration::Millis(1500));
  EXPECT_EQ(crash.longest_delay, Duration::Millis(2500));
  EXPECT_EQ(crash.status, StageStatus::kError);
  EXPECT_EQ(crash.exit_code, 3);
  EXPECT_EQ(crash.times, 4);
  std::string paths;
  for (const StageRequirement& one : crash.requirements) {
    paths += fmt::format("{}={}{} ", fmt::join(one.path, "/"), static_cast<int>(one.op),
                         one.values.empty() ? "" : one.values.front());
  }
  EXPECT_EQ(paths,
            "metadata/labels/app=0web metadata/annotations/example.com/crash=0yes "
            "metadata/namespace=1kube-system metadata/ownerReferences//kind=0Job "
            "metadata/labels/example.com/a.b=2 ");
  EXPECT_EQ(stages->all()[1].status, StageStatus::kDeleted);
}

TEST(StageReader, ExitCodesFollowFromTheStatus) {
  const auto code = [](std::string_view next) {
    return ReadStages(StageText(fmt::format("{{next: {{status: {}}}}}", next)), "f")
        ->all()[0]
        .exit_code;
  };
  EXPECT_EQ(code("Completed"), 0);
  EXPECT_EQ(code("Error"), 1);
  EXPECT_EQ(code("Error, exitCode: 255"), 255);
  EXPECT_EQ(code("OOMKilled"), 137);
}

struct InvalidStage {
  const char* name;
  std::string text;
  const char* want;
};

class InvalidStages : public ::testing::TestWithParam<InvalidStage> {};

TEST_P(InvalidStages, AreNamedWithFieldAndValue) {
  EXPECT_EQ(ErrorOf(GetParam().text), GetParam().want);
}

#define PLACE "s.yaml: document 1: Stage \"a\": "

INSTANTIATE_TEST_SUITE_P(
    StageReader, InvalidStages,
    ::testing::Values(
        InvalidStage{"Empty", "", "s.yaml: contains no Stage"},
        InvalidStage{"NotYaml", "a: [",
                     "s.yaml: document 1: line 2, column 1: did not find expected node content "
                     "while parsing a flow node"},
        InvalidStage{"NotAnObject", "- 1", "s.yaml: document 1: not an object"},
        InvalidStage{"OtherKind", "apiVersion: v1\nkind: Pod",
                     "s.yaml: document 1: apiVersion \"v1\", kind \"Pod\": must be apiVersion "
                     "berth.dev/v1alpha1, kind Stage"},
        InvalidStage{"OfKwok", "apiVersion: kwok.x-k8s.io/v1alpha1\nkind: Stage",
                     "s.yaml: document 1: apiVersion \"kwok.x-k8s.io/v1alpha1\", kind \"Stage\": "
                     "must be apiVersion berth.dev/v1alpha1: stages of KWOK have templates, "
                     "instead of which those of Berth have next.status"},
        InvalidStage{"NoName", "apiVersion: berth.dev/v1alpha1\nkind: Stage",
                     "s.yaml: document 1: metadata.name: Required value\n"
                     "s.yaml: document 1: spec: Required value"},
        InvalidStage{"UnknownFields",
                     StageText("{delai: {}, delay: {durationMiliseconds: 5}, next: {status: Ready, "
                               "statusTemplate: x}}"),
                     PLACE "unknown field \"spec.delai\": {}; did you mean \"delay\"?\n" PLACE
                           "unknown field \"spec.delay.durationMiliseconds\": 5; did you mean "
                           "\"durationMilliseconds\"?\n" PLACE
                           "unknown field \"spec.next.statusTemplate\": \"x\""},
        InvalidStage{"NoNext", StageText("{}"), PLACE "spec.next.status: Required value"},
        InvalidStage{"NoStatus", StageText("{next: {}}"), PLACE "spec.next.status: Required value"},
        InvalidStage{"UnknownStatus", StageText("{next: {status: CrashLoopBackOff}}"),
                     PLACE "spec.next.status: Unsupported value: \"CrashLoopBackOff\": supported "
                           "values: \"Running\", \"ImagePullBackOff\", \"Ready\", \"NotReady\", "
                           "\"Completed\", \"Error\", \"OOMKilled\", \"KeepsRunning\", "
                           "\"Deleted\""},
        InvalidStage{
            "WrongTypes", StageText("{weight: x, selector: [], delay: 5, next: {status: 1}}"),
            PLACE "spec.selector: Invalid value: []: must be an object\n" PLACE
                  "spec.weight: Invalid value: \"x\": must be an integer from 0 to "
                  "1000000\n" PLACE "spec.delay: Invalid value: 5: must be an object\n" PLACE
                  "spec.next.status: Invalid value: 1: must be a string"},
        InvalidStage{"NegativeDelay",
                     StageText("{delay: {durationMilliseconds: -1}, next: {status: Ready}}"),
                     PLACE "spec.delay.durationMilliseconds: Invalid value: -1: must be an "
                           "integer from 0 to 1000000000000"},
        InvalidStage{"JitterBelowDuration",
                     StageText("{delay: {durationMilliseconds: 9, jitterDurationMilliseconds: 8}, "
                               "next: {status: Ready}}"),
                     PLACE "spec.delay.jitterDurationMilliseconds: Invalid value: 8: must not be "
                           "less than durationMilliseconds: the delay is between the two"},
        InvalidStage{"ExitCodeOfZero", StageText("{next: {status: Error, exitCode: 0}}"),
                     PLACE "spec.next.exitCode: Invalid value: 0: must be an integer from 1 to "
                           "255"},
        InvalidStage{"UselessFields",
                     StageText("{delay: {}, next: {status: NotReady, exitCode: 1, times: 2}}"),
                     PLACE
                     "spec.next.exitCode: Forbidden: has no effect with status NotReady\n" PLACE
                     "spec.next.times: Forbidden: has no effect with status NotReady\n" PLACE
                     "spec.delay: Forbidden: has no effect with status NotReady"},
        InvalidStage{"OtherResource",
                     StageText("{resourceRef: {kind: Node}, next: {status: Ready}}"),
                     PLACE "spec.resourceRef.kind: Unsupported value: \"Node\": supported values: "
                           "\"Pod\""},
        InvalidStage{"BadExpression",
                     StageText("{selector: {matchExpressions: [{key: namespace, operator: Is}]}, "
                               "next: {status: Ready}}"),
                     PLACE "spec.selector.matchExpressions[0].key: Invalid value: \"namespace\": "
                           "must be a path such as .metadata.namespace, "
                           ".metadata.ownerReferences[].kind or "
                           ".metadata.labels[\"example.com/name\"]\n" PLACE
                           "spec.selector.matchExpressions[0].operator: Unsupported value: \"Is\": "
                           "supported values: \"In\", \"NotIn\", \"Exists\", \"DoesNotExist\""},
        InvalidStage{"ValuesThatDoNotFit",
                     StageText("{selector: {matchExpressions: [{key: .a, operator: In}, {key: .a, "
                               "operator: Exists, values: [x]}, {key: .a, operator: In, values: "
                               "[1]}]}, next: {status: Ready}}"),
                     PLACE "spec.selector.matchExpressions[0].values: Required value\n" PLACE
                           "spec.selector.matchExpressions[1].values: Forbidden: must be empty for "
                           "Exists and DoesNotExist\n" PLACE
                           "spec.selector.matchExpressions[2].values[0]: Invalid value: 1: must be "
                           "a string"},
        InvalidStage{"NumberAsLabel",
                     StageText("{selector: {matchLabels: {tier: 1}}, next: {status: Ready}}"),
                     PLACE "spec.selector.matchLabels.tier: Invalid value: 1: must be a string"},
        InvalidStage{
            "Repeated",
            StageText("{next: {status: Ready}}") + "---\n" + StageText("{next: {status: Ready}}"),
            "s.yaml: document 2: Stage \"a\": metadata.name: Duplicate value: \"a\""},
        InvalidStage{"RepeatedKey",
                     R"({"apiVersion": "berth.dev/v1alpha1", "kind": "Stage",)"
                     R"( "metadata": {"name": "a", "name": "a"},)"
                     R"( "spec": {"next": {"status": "Ready"}}})",
                     PLACE "duplicate field \"metadata.name\""}),
    [](const auto& each) { return each.param.name; });

TEST(StageReader, PathsAreStrict) {
  const auto error = [](std::string_view path) {
    return ErrorOf(
        StageText(fmt::format("{{selector: {{matchExpressions: [{{key: '{}', operator: "
                              "Exists}}]}}, next: {{status: Ready}}}}",
                              path)));
  };
  std::string deep;
  for (size_t i = 0; i < kMaxPathSteps; ++i) deep += ".a";
  for (const std::string& path :
       {std::string(".a"), std::string(".a[].b[][]"), std::string(".a[\"b.c\"].d"), deep}) {
    EXPECT_EQ(error(path), "ok") << path;
  }
  for (const std::string& path :
       {std::string(), std::string("."), std::string("a"), std::string("[]"), std::string(".a."),
        std::string(".a..b"), std::string(".a["), std::string(".a[\"b\""), std::string(".a[\"\"]"),
        std::string(".a[0]"), std::string(".a | .b"), deep + ".a"}) {
    EXPECT_THAT(error(path), HasSubstr("must be a path such as")) << path;
  }
}

TEST(StageReader, FilesAreBounded) {
  EXPECT_EQ(ErrorOf(std::string(kMaxStageFileBytes + 1, ' ')), "s.yaml: larger than 1048576 bytes");
  std::string many;
  for (size_t i = 0; i <= kMaxStages; ++i) {
    many += StageText("{next: {status: Ready}}", fmt::format("s{}", i)) + "---\n";
  }
  EXPECT_EQ(ErrorOf(many), "s.yaml: document 257: a file may have 256 stages");
  std::string labels;
  for (size_t i = 0; i <= kMaxStageRequirements; ++i) labels += fmt::format("l{}: x, ", i);
  EXPECT_EQ(ErrorOf(StageText(fmt::format(
                "{{selector: {{matchLabels: {{{}}}}}, next: {{status: Ready}}}}", labels))),
            PLACE
            "spec.selector.matchLabels: Forbidden: a stage may have 32 requirements in its "
            "selector");
  std::string values;
  for (size_t i = 0; i <= kMaxRequirementValues; ++i) values += fmt::format("v{}, ", i);
  EXPECT_THAT(ErrorOf(StageText(
                  fmt::format("{{selector: {{matchExpressions: [{{key: .a, operator: In, values: "
                              "[{}]}}]}}, next: {{status: Ready}}}}",
                              values))),
              HasSubstr("spec.selector.matchExpressions[0].values: Too many: 101"));
}

TEST(StageReader, ReportsAHundredErrors) {
  std::string unknown;
  for (int i = 0; i < 500; ++i) unknown += fmt::format("field{}: 1, ", i);
  const std::string error = ErrorOf(StageText(fmt::format("{{{}}}", unknown)));
  EXPECT_LE(std::ranges::count(error, '\n'), api::kMaxReportedErrors);
  EXPECT_THAT(error, StartsWith(PLACE "unknown field \"spec.field0\": 1\n"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::localcluster
