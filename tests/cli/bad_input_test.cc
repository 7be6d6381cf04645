// Invalid input always gives a clear error, never a crash.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "berth_process_testing.h"

namespace berth::cli {
namespace BERTH_TEST_FILE {

using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string Repeat(std::string_view text, size_t times) {
  std::string result;
  for (size_t i = 0; i < times; ++i) result += text;
  return result;
}

std::string PodSpec(std::string_view spec) {
  return "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: {" + std::string(spec) + "}\n";
}

std::string Container(std::string_view rest) {
  return PodSpec("containers: [{name: c, image: i, " + std::string(rest) + "}]");
}

std::string Node(std::string_view rest) {
  return "apiVersion: v1\nkind: Node\nmetadata: {name: node}\n" + std::string(rest);
}

std::string Config(std::string_view rest) {
  return "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n" +
         std::string(rest);
}

struct BadCase {
  const char* name;
  std::string content;
  std::string error;  // A part of what is printed.
};

void PrintTo(const BadCase& bad, std::ostream* out) { *out << bad.name; }

constexpr auto kNameOf = [](const auto& tested) { return std::string(tested.param.name); };

class BadObjects : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadObjects, AreReportedWithFileAndField) {
  const TemporaryDirectory files;
  const std::string path = files.Write("objects.yaml", GetParam().content);
  const ProcessResult ended = RunBerth({"schedule", "-f", path});
  EXPECT_EQ(ended.code, 1);
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, HasSubstr("berth schedule: " + path));
  EXPECT_THAT(ended.err, HasSubstr(GetParam().error));
  EXPECT_LT(ended.err.size(), 1000U);
}

const BadCase kBadObjects[] = {
    {"TruncatedYaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: p", "line"},
    {"TruncatedJson", R"({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": )",
     "ends within"},
    {"UnclosedQuote", "kind: \"Pod\nmetadata: {}\n", "line"},
    {"TabIndent", "kind: Pod\nmetadata:\n\tname: p\n", "line"},
    {"OnlyAScalar", "hello\n", "object"},
    {"OnlyANumber", "42\n", "object"},
    {"OnlyAList", "- kind: Pod\n", "object"},
    {"NoKind", "apiVersion: v1\nmetadata: {name: p}\n", "kind"},
    {"KindIsANumber", "apiVersion: v1\nkind: 7\nmetadata: {name: p}\n", "kind"},
    {"MetadataIsAString", "apiVersion: v1\nkind: Pod\nmetadata: p\n", "metadata"},
    {"NoName", "apiVersion: v1\nkind: Pod\nmetadata: {}\n", "name"},
    {"NameIsABoolean", "apiVersion: v1\nkind: Pod\nmetadata: {name: yes}\n", "metadata.name"},
    {"LabelIsANumber", "apiVersion: v1\nkind: Node\nmetadata: {name: node, labels: {a: 1}}\n",
     "metadata.labels"},
    {"SpecIsAList", "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec: []\n", "spec"},
    {"ContainersIsAMap", PodSpec("containers: {name: c}"), "spec.containers"},
    {"ContainerIsAString", PodSpec("containers: [web]"), "spec.containers[0]"},
    {"BadQuantity", Container("resources: {requests: {cpu: four}}"), "\"four\""},
    {"QuantityWithSpace", Container("resources: {requests: {memory: 1 Gi}}"), "\"1 Gi\""},
    {"QuantityIsAMap", Container("resources: {requests: {cpu: {}}}"), "resources.requests"},
    {"BadNodeQuantity", Node("status: {capacity: {cpu: 4 cores}}\n"), "status.capacity"},
    {"PriorityIsAString", PodSpec("priority: high"), "spec.priority"},
    {"PriorityTooBig", PodSpec("priority: 3000000000"), "spec.priority"},
    {"PriorityIsHuge", PodSpec("priority: 1" + Repeat("0", 400)), "spec.priority"},
    {"PriorityIsAFraction", PodSpec("priority: 1.5"), "spec.priority"},
    {"PortIsAString", Container("ports: [{containerPort: http}]"), "containerPort"},
    {"TaintsIsAString", Node("spec: {taints: gpu}\n"), "spec.taints"},
    {"UnschedulableIsAWord", Node("spec: {unschedulable: maybe}\n"), "spec.unschedulable"},
    {"BadTimestamp", "apiVersion: v1\nkind: Pod\nmetadata: {name: p, creationTimestamp: soon}\n",
     "creationTimestamp"},
    {"ImageSizeOverflows",
     Node("status: {images: [{names: [a], sizeBytes: 99999999999999999999}]}\n"), "sizeBytes"},
    {"DuplicateKey", "apiVersion: v1\nkind: Pod\nkind: Node\n", "kind"},
    {"UnknownAnchor", "apiVersion: v1\nkind: Pod\nmetadata: *meta\n", "anchor"},
    {"DeepYaml", Repeat("[", 5000), ""},
    {"DeepJson", Repeat("{\"a\":", 5000), ""},
    {"DeepJsonThatEnds", Repeat("[", 1000) + Repeat("]", 1000), ""},
    {"InvalidUtf8", "apiVersion: v1\nkind: Pod\nmetadata: {name: \"\xff\xfe\"}\n", "UTF-8"},
    {"ControlCharacters", std::string("kind: Pod\x01\x02\nmetadata: {}\n"), "control"},
    {"NulBytes", std::string("kind: Pod\0\0\0", 12), ""},
    {"BinaryGarbage", "\x1f\x8b\x08\x00\xde\xad\xbe\xef", ""},
    {"SecondDocumentIsWrong",
     "apiVersion: v1\nkind: Node\nmetadata: {name: node}\n---\nkind: Pod\nspec: 5\n", "document 2"},
    {"ListItemIsAString", "apiVersion: v1\nkind: List\nitems: [pod]\n", "items[0]"},
    {"ItemsIsAMap", "apiVersion: v1\nkind: List\nitems: {}\n", "items"},
    {"TheSameObjectTwice",
     "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n---\n"
     "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: default}\n",
     "duplicate object; first defined in"},
    {"StringOfTenMegabytesAsQuantity",
     Container("resources: {requests: {cpu: \"" + Repeat("x", 10'000'000) + "\"}}"), "quantity"},
    {"ManyAliases",
     "a: &a [x, x, x, x, x, x, x, x, x]\n"
     "b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a]\n"
     "c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b]\n"
     "d: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c]\n"
     "e: &e [*d, *d, *d, *d, *d, *d, *d, *d, *d]\n"
     "f: &f [*e, *e, *e, *e, *e, *e, *e, *e, *e]\n"
     "g: &g [*f, *f, *f, *f, *f, *f, *f, *f, *f]\n"
     "h: [*g, *g, *g, *g, *g, *g, *g, *g, *g]\n",
     ""},
    {"AliasOfItself", "a: &a [*a]\n", ""},
};

INSTANTIATE_TEST_SUITE_P(All, BadObjects, ::testing::ValuesIn(kBadObjects), kNameOf);

TEST(BadObjects, UnknownPriorityClassNamesThePod) {
  const TemporaryDirectory files;
  const std::string path = files.Write("p.yaml", PodSpec("priorityClassName: gold"));
  const ProcessResult ended = RunBerth({"schedule", "-f", path});
  EXPECT_EQ(ended.code, 1);
  EXPECT_THAT(ended.err,
              HasSubstr("Pod \"default/p\": spec.priorityClassName: no PriorityClass with "
                        "name gold was found"));
}

class BadConfig : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadConfig, IsReportedWithFileAndField) {
  const TemporaryDirectory files;
  const std::string objects = files.Write("node.yaml", Node(""));
  const std::string config = files.Write("config.yaml", GetParam().content);
  const ProcessResult ended = RunBerth({"schedule", "-f", objects, "--config", config});
  EXPECT_EQ(ended.code, 1);
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, HasSubstr("berth schedule: "));
  EXPECT_THAT(ended.err, HasSubstr(config));
  EXPECT_THAT(ended.err, HasSubstr(GetParam().error));
}

const BadCase kBadConfigs[] = {
    {"Empty", "", "'Kind' is missing"},
    {"NotYaml", "{{{", ""},
    {"WrongKind", "apiVersion: v1\nkind: Pod\n", "Pod"},
    {"UnknownField", Config("paralelism: 4\n"), "paralelism"},
    {"WrongType", Config("parallelism: many\n"), "parallelism"},
    {"ZeroParallelism", Config("parallelism: 0\n"), "parallelism"},
    {"UnknownPlugin",
     Config("profiles: [{plugins: {filter: {enabled: [{name: NoSuchPlugin}]}}}]\n"),
     "NoSuchPlugin"},
    {"NoBinder", Config("profiles: [{plugins: {bind: {disabled: [{name: '*'}]}}}]\n"), "bind"},
    {"SameSchedulerTwice", Config("profiles: [{schedulerName: a}, {schedulerName: a}]\n"),
     "schedulerName"},
};

INSTANTIATE_TEST_SUITE_P(All, BadConfig, ::testing::ValuesIn(kBadConfigs), kNameOf);

class BadCaseFile : public ::testing::TestWithParam<BadCase> {};

TEST_P(BadCaseFile, IsReportedWithFileAndLine) {
  const TemporaryDirectory files;
  const std::string path = files.Write("cases.jsonl", GetParam().content);
  const ProcessResult ended = RunBerth({"conformance", path});
  EXPECT_EQ(ended.code, 2);
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, HasSubstr("berth conformance: " + path));
  EXPECT_THAT(ended.err, HasSubstr(GetParam().error));
}

constexpr const char* kGoodRow =
    R"({"s": "1", "ok": true, "canonical": "1", "sign": 1, "value": 1, "milli": 1000})"
    "\n";

const BadCase kBadCaseFiles[] = {
    {"Empty", "", "no cases"},
    {"OnlyBlankLines", "\n \n", "no cases"},
    {"NotJson", std::string(kGoodRow) + "nonsense\n", ":2: not valid JSON"},
    {"CutOff", std::string(kGoodRow) + "\n{\"s\": \"1\"", ":3: not valid JSON"},
    {"NotAnObject", "[]\n", ":1: not a JSON object"},
    {"NotACase", "{\"hello\": 1}\n", ":1: unknown case type"},
    {"NoPod", R"({"name": "g/1", "objects": [], "expect": {"preFilter": {"code": "Success"}}})",
     "g/1: field \"pod\": missing"},
    {"BadPod",
     R"({"name": "g/1", "objects": [], "pod": {"kind": "Pod", "spec": 5}, "expect": {"preFilter": {"code": "Success"}}})",
     "spec"},
    {"BadObject",
     R"({"name": "g/1", "objects": [{"kind": "Node", "spec": 5}], "pod": {}, "expect": {}})",
     "spec"},
    {"BadExpectation",
     R"({"name": "g/1", "objects": [], "pod": {"kind": "Pod", "metadata": {"name": "p"}, "spec": {"schedulerName": "default-scheduler"}}, "expect": {"preFilter": {"code": "Maybe"}}})",
     "unknown code: \"Maybe\""},
    {"StepsAndPodsDisagree",
     R"({"name": "g/1", "objects": [], "pods": [], "expect": {"steps": [{}]}})",
     "0 pods, but 1 steps"},
    {"NameIsANumber", R"({"name": 1, "s": "1", "ok": true})", "field \"name\": must be a string"},
    {"TruncatedGzip", std::string("\x1f\x8b\x08\0\0\0\0\0\0\x03\xab\x56", 12), ""},
};

INSTANTIATE_TEST_SUITE_P(All, BadCaseFile, ::testing::ValuesIn(kBadCaseFiles), kNameOf);

struct UsageCase {
  const char* name;
  std::vector<std::string> arguments;
  int code;
  std::string error;
};

void PrintTo(const UsageCase& bad, std::ostream* out) { *out << bad.name; }

class BadUsage : public ::testing::TestWithParam<UsageCase> {};

TEST_P(BadUsage, IsReported) {
  const ProcessResult ended = RunBerth(GetParam().arguments);
  EXPECT_EQ(ended.code, GetParam().code);
  EXPECT_EQ(ended.out, "");
  EXPECT_THAT(ended.err, HasSubstr(GetParam().error));
}

const UsageCase kBadUsages[] = {
    {"NoCommand", {}, 2, "\nberth: a command is required\n"},
    {"UnknownCommand",
     {"shedule"},
     2,
     "berth: unknown command \"shedule\" for \"berth\"; did you mean schedule?\n"
     "See 'berth --help' for usage.\n"},
    {"UnknownFlag",
     {"schedule", "-f", "x", "--explian"},
     2,
     "berth schedule: unknown flag: --explian; did you mean --explain?\n"
     "See 'berth schedule --help' for usage.\n"},
    {"UnknownFlagOfAll", {"--verbose"}, 2, "berth: unknown flag: --verbose\n"},
    {"NoFiles", {"schedule"}, 2, "berth schedule: --filename or --kubeconfig is required\n"},
    {"MisspeltSubcommand",
     {"config", "shw"},
     2,
     "berth config: unknown command \"shw\" for \"berth config\"; did you mean show?\n"},
    {"PortOutOfRange",
     {"up", "--port", "99999"},
     2,
     "invalid argument \"99999\" for \"--port\" flag: must be an integer from 0 to 65535\n"},
    {"UnknownFormat",
     {"schedule", "-f", "x", "-o", "xml"},
     2,
     "invalid argument \"xml\" for \"-o, --output\" flag: must be one of table, json, yaml\n"},
    {"SeedIsAWord",
     {"schedule", "-f", "x", "--seed", "lucky"},
     2,
     "invalid argument \"lucky\" for \"--seed\" flag: must be an integer of at least 0\n"},
    {"SeedIsNegative", {"schedule", "-f", "x", "--seed", "-1"}, 2, "\"-1\" for \"--seed\" flag"},
    {"FlagWithoutValue", {"schedule", "-f"}, 2, "flag needs an argument: 'f' in -f\n"},
    {"NoCaseFiles", {"conformance"}, 2, "berth conformance: FILE is required\n"},
    {"FirstIsAWord", {"conformance", "x", "--first", "few"}, 2, "\"few\" for \"-n, --first\" flag"},
    {"TooManyFiles", {"replay", "x", "y"}, 2, "berth replay: unexpected argument \"y\"\n"},
    {"UnknownSubcommand", {"config", "print"}, 2, "\"print\" for \"berth config\"\n"},
    {"MissingFile",
     {"schedule", "-f", "/no/such/file.yaml"},
     1,
     "berth schedule: --filename /no/such/file.yaml: No such file or directory\n"},
    {"MissingConfig",
     {"schedule", "-f", BERTH_SOURCE_DIR "/examples/harbour.yaml", "-f",
      BERTH_SOURCE_DIR "/examples/pods.yaml", "--config", "/no/such"},
     1,
     "berth schedule: --config /no/such: No such file or directory\n"},
    {"MissingCaseFile",
     {"conformance", "/no/such/file.jsonl"},
     2,
     "/no/such/file.jsonl: No such file or directory"},
    {"DirectoryWithoutObjects",
     {"schedule", "-f", BERTH_SOURCE_DIR "/src/cmd"},
     1,
     "the directory contains no *.yaml"},
    {"DirectoryAsConfig",
     {"schedule", "-f", BERTH_SOURCE_DIR "/examples/harbour.yaml", "-f",
      BERTH_SOURCE_DIR "/examples/pods.yaml", "--config", "/"},
     1,
     "Is a directory"},
    {"DirectoryAsCaseFile", {"conformance", "/"}, 2, "is a directory"},
    {"EmptyStandardInput", {"schedule", "-f", "-", "--pod", "p"}, 1, "no pending pod"},
};

INSTANTIATE_TEST_SUITE_P(All, BadUsage, ::testing::ValuesIn(kBadUsages), kNameOf);

TEST(BadUsage, UnknownGroupListsTheGroups) {
  const TemporaryDirectory files;
  const ProcessResult ended =
      RunBerth({"conformance", files.Write("q.jsonl", kGoodRow), "--group", "quantity"});
  EXPECT_EQ(ended.code, 2);
  EXPECT_THAT(ended.err,
              HasSubstr("no group \"quantity\" in the given files; they have: quantities"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::cli
