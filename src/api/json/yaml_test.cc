#include "api/json/yaml.h"

#include <gtest/gtest.h>

namespace berth::api {
namespace BERTH_TEST_FILE {

struct YamlCase {
  const char* name;
  const char* yaml;
  std::vector<std::string> json;
};

class YamlToJsonTest : public testing::TestWithParam<YamlCase> {};

TEST_P(YamlToJsonTest, ReturnsTheDocuments) {
  const auto json = YamlToJson(GetParam().yaml);
  ASSERT_TRUE(json.has_value()) << json.error().message;
  EXPECT_EQ(*json, GetParam().json);
}

INSTANTIATE_TEST_SUITE_P(
    Documents, YamlToJsonTest,
    testing::Values(
        YamlCase{"Nothing", "", {}}, YamlCase{"OnlyComments", "# a\n# b\n", {}},
        YamlCase{"EmptyDocumentsAreDropped",
                 "---\n---\na: 1\n---\n# x\n---\nnull\n...\n",
                 {R"({"a":1})"}},
        YamlCase{"ManyDocuments", "a: 1\n---\n- b\n--- c\n", {R"({"a":1})", R"(["b"])", R"("c")"}},
        YamlCase{"Json",
                 R"({"a": [1, "x", null, true, {"b": -0.5e3}]})",
                 {R"({"a":[1,"x",null,true,{"b":-0.5e3}]})"}},
        YamlCase{
            "ScalarsByYaml11",
            "a: yes\nb: off\nc: 010\nd: ~\ne:\nf: 0.10\ng: 1e3\nh: 2026-03-01\n",
            {R"({"a":true,"b":false,"c":8,"d":null,"e":null,"f":0.10,"g":1e3,"h":"2026-03-01"})"}},
        YamlCase{"QuotedScalarsAreStrings",
                 "a: 'yes'\nb: \"010\"\nc: |\n  5\nd: >-\n  1\n  2\ne: ''\n",
                 {R"({"a":"yes","b":"010","c":"5\n","d":"1 2","e":""})"}},
        YamlCase{"TagsDecide",
                 "a: !!str 5\nb: !!int \"7\"\nc: ! 8\nd: !!float 9\ne: !own 1\n",
                 {R"({"a":"5","b":7,"c":"8","d":9,"e":"1"})"}},
        YamlCase{"KeysBecomeStrings",
                 "1: a\nn: b\n0x10: c\n1.50: d\n? yes\n: e\n",
                 {R"({"1":"a","false":"b","16":"c","1.5":"d","true":"e"})"}},
        YamlCase{"Aliases",
                 "a: &x {k: [1]}\nb: *x\nc: [*x, *x]\n",
                 {R"({"a":{"k":[1]},"b":{"k":[1]},"c":[{"k":[1]},{"k":[1]}]})"}},
        YamlCase{"AnchorMayBeUsedAgain",
                 "a: &x 1\nb: *x\nc: &x 2\nd: *x\n",
                 {R"({"a":1,"b":1,"c":2,"d":2})"}},
        YamlCase{"AliasAsKey", "a: &x k\n*x : 1\n", {R"({"a":"k","k":1})"}},
        YamlCase{"Merge",
                 "base: &b {x: 1, w: 2}\nd:\n  <<: *b\n  z: 3\n",
                 {R"({"base":{"x":1,"w":2},"d":{"x":1,"w":2,"z":3}})"}},
        YamlCase{"MergeOfSeveral",
                 "- &a {x: 1}\n- &b {w: 2}\n- <<: [*a, *b]\n",
                 {R"([{"x":1},{"w":2},{"x":1,"w":2}])"}},
        YamlCase{"MergeOfAMerge",
                 "- &a {x: 1}\n- &b {<<: *a, w: 2}\n- {z: 3, <<: *b}\n",
                 {R"([{"x":1},{"x":1,"w":2},{"z":3,"x":1,"w":2}])"}},
        YamlCase{"QuotedMergeKeyIsAKey", "'<<': 1\n", {R"({"<<":1})"}},
        YamlCase{"Escapes", R"("\x01 \t \" \u00e9")", {"\"\\u0001 \\t \\\" \u00e9\""}}),
    [](const auto& test) { return std::string(test.param.name); });

struct ErrorCase {
  const char* name;
  const char* yaml;
  const char* want;
};

class YamlErrorTest : public testing::TestWithParam<ErrorCase> {};

TEST_P(YamlErrorTest, ReportsLineColumnAndProblem) {
  const auto json = YamlToJson(GetParam().yaml);
  ASSERT_FALSE(json.has_value()) << json->front();
  EXPECT_EQ(json.error().message, GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Texts, YamlErrorTest,
    testing::Values(
        ErrorCase{"DuplicateKey", "a: 1\nb:\n  c: 1\n  c: 2\n",
                  R"(line 4: key "c" already set in map)"},
        ErrorCase{"DuplicateAfterConversion", "1: a\n'1': b\n",
                  R"(line 2: key "1" already set in map)"},
        ErrorCase{"OverriddenMerge", "- &base\n  name: a\n- <<: *base\n  name: b\n",
                  R"(line 4: key "name" already set in map)"},
        ErrorCase{"MergeOfAScalar", "<<: 5\n",
                  "line 1, column 5: << needs a map or a list of maps"},
        ErrorCase{"MergeOfAListOfScalars", "<<: [{}, 5]\n",
                  "line 1, column 5: << needs a map or a list of maps"},
        ErrorCase{"UnknownAnchor", "a: *nope\n", "line 1, column 4: unknown anchor 'nope'"},
        ErrorCase{"AnchorOfAnotherDocument", "a: &x 1\n---\nb: *x\n",
                  "line 3, column 4: unknown anchor 'x'"},
        ErrorCase{"AnchorWithinItself", "a: &x [*x]\n",
                  "line 1, column 8: anchor 'x' contains itself"},
        ErrorCase{"MapAsKey", "? {a: 1}\n: 2\n",
                  "line 1, column 3: a key must not be a list or a map"},
        ErrorCase{"NullKey", "~: 1\n", "line 1, column 1: a key must not be null"},
        ErrorCase{"Infinity", "a: .inf\n",
                  "line 1, column 4: .inf is not a number that JSON can hold"},
        ErrorCase{"TagMismatch", "a: !!int x\n", R"(line 1, column 4: cannot read "x" as !!int)"},
        ErrorCase{
            "Tab", "a:\n\tb: 1\n",
            "line 2, column 1: found character that cannot start any token while scanning for "
            "the next token"},
        ErrorCase{"BadIndentation", "a:\n- b: 1\n c: 2\n",
                  "line 3, column 2: did not find expected key while parsing a block mapping"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(FirstDocumentToJson, IgnoresFurtherDocuments) {
  EXPECT_EQ(FirstDocumentToJson("a: 3\n---\n: : :\n\t- x\n").value(), R"({"a":3})");
  EXPECT_EQ(FirstDocumentToJson("---\n---\na: 1\n").value(), "null");
  EXPECT_EQ(FirstDocumentToJson("").value(), "null");
  EXPECT_EQ(FirstDocumentToJson("# nothing\n").value(), "null");
  EXPECT_FALSE(FirstDocumentToJson("a: [\n").has_value());
}

TEST(FirstDocumentToJson, ReturnsTextInBracesUnchanged) {
  EXPECT_EQ(FirstDocumentToJson(" {\"a\": 1,}").value(), " {\"a\": 1,}");
  EXPECT_EQ(FirstDocumentToJson("{a: yes}").value(), "{a: yes}");
}

struct FileCase {
  const char* name;
  const char* text;
  std::vector<std::string> want;  // The objects' kinds and keys.
};

class DecodeObjectsTest : public testing::TestWithParam<FileCase> {};

TEST_P(DecodeObjectsTest, ReturnsAllObjects) {
  const auto objects = DecodeObjects(GetParam().text, "file");
  ASSERT_TRUE(objects.has_value()) << objects.error().message;
  std::vector<std::string> got;
  for (const Object& object : *objects) {
    got.push_back(std::string(KindOf(object).kind) + " " + KeyOf(object).ToString());
  }
  EXPECT_EQ(got, GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Files, DecodeObjectsTest,
    testing::Values(
        FileCase{"Yaml",
                 "kind: Node\nmetadata: {name: n1}\n---\nkind: Pod\nmetadata:\n  name: p\n",
                 {"Node n1", "Pod default/p"}},
        FileCase{"YamlList",
                 "kind: List\nitems:\n- kind: Node\n  metadata: {name: n1}\n- kind: Job\n",
                 {"Node n1"}},
        FileCase{"Json", R"({"kind":"Node","metadata":{"name":"n1"}})", {"Node n1"}},
        FileCase{"JsonLines",
                 "{\"kind\":\"Node\",\"metadata\":{\"name\":\"{n\"}}\n\n"
                 "{\"kind\":\"Node\",\"metadata\":{\"name\":\"}\\\"m\"}} {\"kind\":\"Job\"}\n",
                 {"Node {n", "Node }\"m"}},
        FileCase{"JsonBetweenDashes",
                 "{\"kind\":\"Node\",\"metadata\":{\"name\":\"n1\"}}\n---\nkind: Pod\nmetadata: "
                 "{name: p}\n",
                 {"Node n1", "Pod default/p"}},
        FileCase{"YamlInBraces", "{kind: Node, metadata: {name: n1}}", {"Node n1"}},
        FileCase{"ByteOrderMark", "\xef\xbb\xbfkind: Node\nmetadata: {name: n1}\n", {"Node n1"}},
        FileCase{"ByteOrderMarkBeforeJson",
                 "\xef\xbb\xbf{\"kind\":\"Node\",\"metadata\":{\"name\":\"n1\"}}",
                 {"Node n1"}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(DecodeObjects, QuantitiesRetainTheirDigits) {
  const auto objects = DecodeObjects(
      "kind: Node\nmetadata: {name: n1}\nstatus:\n  allocatable:\n    cpu: 0.10\n    memory: 1e3\n"
      "    example.com/big: 123456789012345678\n    example.com/octal: 010\n",
      "file");
  ASSERT_TRUE(objects.has_value()) << objects.error().message;
  const ResourceList& have = std::get<Ref<Node>>(objects->front())->status.allocatable;
  EXPECT_EQ(have.find("cpu")->second, Quantity::Parse("100m").value());
  EXPECT_EQ(have.find("memory")->second, Quantity::Parse("1k").value());
  EXPECT_EQ(have.find("example.com/big")->second, Quantity::Parse("123456789012345678").value());
  EXPECT_EQ(have.find("example.com/octal")->second, Quantity::Parse("8").value());
}

TEST(DecodeObjects, ErrorsNameFileDocumentAndPlace) {
  struct Case {
    const char* text;
    const char* want;
  };
  for (const Case& c :
       {Case{"kind: Node\nmetadata: {name: n1}\n---\nkind: Pod\nmetadata: {name: web}\nspec: "
             "{priority: x}\n",
             R"(c.yaml: document 2: Pod "default/web": spec.priority: expected an integer, )"
             R"(found "x")"},
        Case{"---\n---\na: [\n",
             "c.yaml: document 2: line 4, column 1: did not find expected node "
             "content while parsing a flow node"},
        Case{"{\"kind\":\"Node\",\"metadata\":{\"name\":\"n1\"}}\n{\"kind\" 5}",
             "c.yaml: document 2: invalid JSON at line 2, column 9: missing or superfluous "
             "comma, "
             "colon, quote or bracket"},
        Case{"{\"kind\":\"Job\"}\nfoo",
             "c.yaml: document 2: line 2: expected a JSON object, found foo"}}) {
    const auto objects = DecodeObjects(c.text, "c.yaml");
    ASSERT_FALSE(objects.has_value()) << c.text;
    EXPECT_EQ(objects.error().message, c.want);
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::api
