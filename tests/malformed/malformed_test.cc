// Malformed and unusual files: each gives an error with the reason and the place, or the valid
// objects in it. None may crash or hang.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "api/json/decode.h"
#include "api/json/yaml.h"

namespace berth::api {
namespace BERTH_TEST_FILE {

std::string Repeat(std::string_view text, size_t times) {
  std::string out;
  out.reserve(text.size() * times);
  for (size_t i = 0; i < times; ++i) out += text;
  return out;
}

// A Pod in JSON whose metadata and spec are continued by `meta` and `spec`.
std::string Pod(std::string_view meta, std::string_view spec = "") {
  return R"({"kind":"Pod","metadata":{"name":"web")" + std::string(meta) +
         R"(},"spec":{"nodeName":"n1")" + std::string(spec) + "}}";
}

// Anchors that each refer ten times to the one before; expanded, 10^`levels` items.
std::string AliasBomb(int levels) {
  std::string yaml = "a0: &a0 [lol]\n";
  for (int i = 1; i <= levels; ++i) {
    const std::string use = "*a" + std::to_string(i - 1) + ", ";
    yaml +=
        "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + Repeat(use, 9) + use + "]\n";
  }
  return yaml;
}

// The same with merge keys of empty maps, which costs time but no text.
std::string MergeBomb(int levels) {
  std::string yaml = "a0: &a0 {}\n";
  for (int i = 1; i <= levels; ++i) {
    const std::string use = "*a" + std::to_string(i - 1) + ", ";
    yaml +=
        "a" + std::to_string(i) + ": &a" + std::to_string(i) + " {<<: [" + Repeat(use, 10) + "]}\n";
  }
  return yaml;
}

// The value of `key`, nested `levels` deep.
std::string Nested(std::string_view key, size_t levels) {
  return ",\"" + std::string(key) + "\":" + Repeat("[", levels) + Repeat("]", levels);
}

struct BadFile {
  const char* name;
  std::string text;
  const char* want;  // Part of the error.
};

class BadFileTest : public testing::TestWithParam<BadFile> {};

TEST_P(BadFileTest, IsRejectedWithAReason) {
  const auto objects = DecodeObjects(GetParam().text, "f.yaml");
  ASSERT_FALSE(objects.has_value()) << objects->size() << " objects";
  const std::string& message = objects.error().message;
  EXPECT_NE(message.find(GetParam().want), std::string::npos) << message;
  EXPECT_EQ(message.find("f.yaml: document "), 0u) << message;
  EXPECT_LT(message.size(), 400u) << message;
}

INSTANTIATE_TEST_SUITE_P(
    Json, BadFileTest,
    testing::Values(
        BadFile{"OpenBrace", "{", "ends within an object or a list"},
        BadFile{"OpenString", R"({"kind":"Po)", "a string does not end"},
        BadFile{"CutInObject", R"({"kind":"Pod","metadata":{"name":"web")", "ends within"},
        BadFile{"CutAfterInnerObject", R"({"kind":"Pod","metadata":{"name":"web"})",
                "missing or superfluous comma"},
        BadFile{"CutInUnknownField",
                R"({"kind":"Pod","metadata":{"name":"web"},"x":[1,[2,{"y":3}])", "ends within"},
        BadFile{"CutAfterColon", R"({"kind":)", "ends within"},
        BadFile{"CutInNumber", R"({"kind":"Node","x":-)", "ends within"},
        BadFile{"BracketsCrossed", R"({"kind":"Pod","metadata":{"name":"web"],"x":{}})",
                "invalid JSON"},
        BadFile{"NoColon", R"({"kind" "Pod"})", "invalid JSON at line 1, column 9"},
        BadFile{"NoComma", R"({"kind":"Pod" "metadata":{}})", "invalid JSON at line 1, column 15"},
        BadFile{"TrailingComma", R"({"kind":"Pod","metadata":{"name":"web",}})", "invalid JSON"},
        BadFile{"BareWord", R"({"kind":"Pod","metadata":{"name":web}})",
                "expected a string, found web"},
        BadFile{"BareWordInUnknownField", R"({"kind":"Pod","metadata":{"name":"web"},"x":nope})",
                "x: expected a value, found nope"},
        BadFile{"TextAfterDocument", R"({"kind":"Job"} oops)",
                "expected a JSON object, found oops"},
        BadFile{"NulByte", std::string("{\"kind\":\"Pod\0\"}", 15), "control character"},
        BadFile{"NulBetweenTokens", std::string("{\"kind\":\0\"Pod\"}", 15), "found"},
        BadFile{"NewlineInString", "{\"kind\":\"Po\nd\"}", "control character"},
        BadFile{"BadUtf8", "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"\xff\xfe\"}}",
                "invalid UTF-8"},
        BadFile{"CutUtf8", "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"\xe2\x82\"}}",
                "invalid UTF-8"},
        BadFile{"Utf8InUnknownField",
                "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"},\"x\":\"\xc0\xaf\"}",
                "invalid UTF-8"},
        BadFile{"BadEscape", Pod(R"(,"uid":"\x")"),
                R"(metadata.uid: invalid JSON: bad escape in "\x")"},
        BadFile{"LoneSurrogate", Pod(R"(,"uid":"\ud800")"),
                "metadata.uid: invalid JSON: bad escape"},
        BadFile{"DuplicateKey", Pod(R"(,"name":"other")"),
                R"(Pod "default/web": metadata.name: duplicate key)"},
        BadFile{"DuplicateKind", R"({"kind":"Pod","kind":"Pod","metadata":{"name":"web"}})",
                "kind: duplicate key"},
        BadFile{"DuplicateLabel", Pod(R"(,"labels":{"a":"1","b":"2","a":"3"})"),
                "metadata.labels.a: duplicate key"},
        BadFile{"DeepUnknownField", Pod("", Nested("x", 100'000)),
                "spec.x: nested deeper than 200 levels"},
        BadFile{"JustTooDeep", Pod("", Nested("x", 199)), "spec.x: nested deeper than 200 levels"}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Types, BadFileTest,
    testing::Values(
        BadFile{"StringForObject", R"({"kind":"Pod","metadata":"web"})",
                R"(Pod: metadata: expected an object, found "web")"},
        BadFile{"StringForList", Pod("", R"(,"containers":"main")"),
                R"(spec.containers: expected a list, found "main")"},
        BadFile{"ObjectForString", Pod(R"(,"uid":{})"),
                "metadata.uid: expected a string, found an object"},
        BadFile{"NumberForString", Pod(R"(,"labels":{"version":1})"),
                "metadata.labels.version: expected a string, found 1"},
        BadFile{"StringForBoolean", Pod("", R"(,"hostNetwork":"true")"),
                R"(spec.hostNetwork: expected a boolean, found "true")"},
        BadFile{"BooleanForQuantity", Pod("", R"(,"overhead":{"cpu":true})"),
                "spec.overhead.cpu: expected a quantity, found true"},
        BadFile{"EmptyQuantity", Pod("", R"(,"overhead":{"cpu":""})"),
                R"(spec.overhead.cpu: invalid quantity "")"},
        BadFile{"QuantityWithUnit",
                Pod("", R"(,"containers":[{"resources":{"requests":{"cpu":"2 cores"}}}])"),
                R"(spec.containers[0].resources.requests.cpu: invalid quantity "2 cores")"},
        BadFile{"BadTime", Pod(R"(,"creationTimestamp":"2026-02-30T00:00:00Z")"),
                R"(metadata.creationTimestamp: invalid time "2026-02-30T00:00:00Z")"},
        BadFile{"NumberForTime", Pod(R"(,"creationTimestamp":1772352004)"),
                "metadata.creationTimestamp: expected a string, found 1772352004"},
        BadFile{"IntegerTooLarge", Pod("", R"(,"priority":2147483648)"),
                "spec.priority: 2147483648 does not fit in 32 bits"},
        BadFile{"IntegerTooSmall", Pod("", R"(,"priority":-2147483649)"),
                "spec.priority: -2147483649 does not fit in 32 bits"},
        BadFile{"IntegerOfAThousandDigits", Pod("", ",\"priority\":" + std::string(1000, '9')),
                "spec.priority: 99999"},
        BadFile{"HugeExponent", Pod("", R"(,"priority":1e999999999999)"),
                "spec.priority: 1e999999999999 does not fit in 32 bits"},
        BadFile{"LeadingZero", Pod("", R"(,"priority":012)"),
                "spec.priority: expected an integer, found 012"},
        BadFile{"Fraction", Pod("", R"(,"terminationGracePeriodSeconds":0.5)"),
                "spec.terminationGracePeriodSeconds: expected an integer, found 0.5"},
        BadFile{"TenMegabytesForAnInteger",
                Pod("", ",\"priority\":\"" + std::string(10'000'000, 'x') + "\""),
                R"(spec.priority: expected an integer, found "xxxx)"},
        BadFile{"TenMegabyteQuantity",
                Pod("", ",\"overhead\":{\"cpu\":\"" + std::string(10'000'000, 'x') + "\"}"),
                R"(spec.overhead.cpu: invalid quantity "xxxx)"}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Kinds, BadFileTest,
    testing::Values(
        BadFile{"NoKind", "metadata:\n  name: web\n", "document 1: the document has no kind"},
        BadFile{"NullKind", "kind:\nmetadata: {name: web}\n", "the document has no kind"},
        BadFile{"ScalarDocument", "hello\n", R"(expected an object with a kind, found "hello")"},
        BadFile{"NumberDocument", "42\n", "expected an object with a kind, found 42"},
        BadFile{"ListDocument", "- kind: Pod\n- kind: Node\n",
                "expected an object with a kind, found a list"},
        BadFile{"NoName", "kind: Node\n---\nkind: Pod\nspec: {}\n",
                "document 1: Node: metadata.name is missing"},
        BadFile{"EmptyName", "kind: Node\nmetadata: {name: ''}\n",
                "Node: metadata.name is missing"},
        BadFile{"GenerateName", "kind: Pod\nmetadata: {generateName: web-}\n",
                "Pod: metadata.name is missing: the object needs a name"},
        BadFile{"NoNameInList", "kind: PodList\nitems: [{metadata: {name: a}}, {}]\n",
                "items[1]: Pod: metadata.name is missing"},
        BadFile{"ItemWithoutKind", "kind: List\nitems: [{metadata: {name: a}}]\n",
                "items[0]: the item has no kind"},
        BadFile{"NullItem", "kind: PodList\nitems: [null]\n",
                "items[0]: expected an object, found null"}),
    [](const auto& test) { return std::string(test.param.name); });

INSTANTIATE_TEST_SUITE_P(
    Yaml, BadFileTest,
    testing::Values(
        BadFile{"Tab", "kind: Pod\nmetadata:\n\tname: web\n",
                "line 3, column 1: found character that cannot start any token"},
        BadFile{"OpenList", "kind: Pod\nspec: [\n",
                "line 3, column 1: did not find expected node content"},
        BadFile{"OpenQuote", "kind: \"Pod\n", "found unexpected end of stream"},
        BadFile{"BadIndentation", "kind: Pod\nspec:\n  a: 1\n b: 2\n", "line 4, column 2"},
        BadFile{"SecondDocumentBroken", "kind: Job\n---\nkind: : :\n", "document 2: line 3"},
        BadFile{"UnknownAnchor", "kind: Pod\nmetadata: *m\n",
                "line 2, column 11: unknown anchor 'm'"},
        BadFile{"AnchorInItself", "kind: Pod\nmetadata: &m {name: *m}\n",
                "anchor 'm' contains itself"},
        BadFile{"DuplicateKey", "kind: Pod\nmetadata: {name: a, name: b}\n",
                R"(line 2: key "name" already set in map)"},
        BadFile{"NulByte", std::string("kind: P\0d\n", 10), "control characters are not allowed"},
        BadFile{"BadUtf8", "kind: Pod\nmetadata: {name: \xff}\n",
                "line 2, column 18: invalid leading UTF-8 octet"},
        BadFile{"NotANumber", "kind: Pod\nx: .nan\n", ".nan is not a number that JSON can hold"},
        BadFile{"AliasBomb", "kind: Pod\n" + AliasBomb(9),
                "grows too large when its aliases are expanded"},
        BadFile{"MergeBomb", "kind: Pod\n" + MergeBomb(9),
                "grows too large when its aliases are expanded"},
        BadFile{"Deep", "kind: Pod\nx: " + Repeat("[", 100'000), "nested deeper than 200 levels"},
        BadFile{"DeepBlock", "kind: Pod\nx:\n" + Repeat("- ", 10'000) + "a\n",
                "nested deeper than 200 levels"},
        BadFile{"BadDirective", "%YAML 9.9\n---\nkind: Pod\n", "incompatible YAML document"},
        BadFile{"Binary", "\x1f\x8b\x08 not text", "control characters are not allowed"}),
    [](const auto& test) { return std::string(test.param.name); });

struct OddFile {
  const char* name;
  std::string text;
  size_t objects;
};

class OddFileTest : public testing::TestWithParam<OddFile> {};

TEST_P(OddFileTest, IsAccepted) {
  const auto objects = DecodeObjects(GetParam().text, "f.yaml");
  ASSERT_TRUE(objects.has_value()) << objects.error().message;
  EXPECT_EQ(objects->size(), GetParam().objects);
}

INSTANTIATE_TEST_SUITE_P(
    Files, OddFileTest,
    testing::Values(
        OddFile{"Empty", "", 0}, OddFile{"Blank", " \n\n  \n", 0},
        OddFile{"OnlyComments", "# a\n# b\n", 0}, OddFile{"OnlySeparators", "---\n---\n...\n", 0},
        OddFile{"OnlyByteOrderMark", "\xef\xbb\xbf", 0},
        OddFile{"UnknownKind", "kind: Gadget\nmetadata: 5\n", 0},
        OddFile{"UnknownKindInJson", R"({"kind":"Gadget","metadata":5})", 0},
        OddFile{"WindowsLines",
                "kind: Pod\r\nmetadata:\r\n  name: web\r\n---\r\nkind: Node\r\n"
                "metadata: {name: n1}\r\n",
                2},
        OddFile{"Utf16", std::string("\xff\xfek\0i\0n\0d\0:\0 \0J\0o\0b\0\n\0", 22), 0},
        OddFile{"NegativeSizes",
                "kind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: -5}, "
                "images: [{names: [a], sizeBytes: -1}]}\n",
                1},
        OddFile{"TenMegabyteString",
                Pod(",\"annotations\":{\"a\":\"" + std::string(10'000'000, 'x') + "\"}"), 1},
        OddFile{"TenMegabyteYamlString",
                "kind: Pod\nmetadata: {name: web}\nx: \"" + std::string(10'000'000, 'x') + "\"\n",
                1},
        OddFile{"DeepButNotTooDeep", Pod("", Nested("x", 198)), 1},
        OddFile{"BracketsInStrings", Pod("", ",\"x\":[\"" + Repeat("[", 10'000) + "\\\"\"]"), 1},
        OddFile{"HundredThousandLabels",
                Pod(",\"labels\":{" +
                    [] {
                      std::string labels;
                      for (int i = 0; i < 100'000; ++i)
                        labels += "\"k" + std::to_string(i) + "\":\"\",";
                      labels.back() = '}';
                      return labels;
                    }()),
                1},
        OddFile{"HundredThousandUnknownFields",
                Pod("",
                    [] {
                      std::string fields;
                      for (int i = 0; i < 100'000; ++i)
                        fields += ",\"k" + std::to_string(i) + "\":0";
                      return fields;
                    }()),
                1},
        OddFile{"ManyDocuments", Repeat("kind: Node\nmetadata: {name: n1}\n---\n", 2'000), 2'000}),
    [](const auto& test) { return std::string(test.param.name); });

}  // namespace BERTH_TEST_FILE
}  // namespace berth::api
