#include "api/decode.h"

#include <gtest/gtest.h>

#include "api/encode.h"

namespace berth::api {
namespace BERTH_TEST_FILE {

// "Kind namespace/name" of each object.
std::vector<std::string> Describe(const std::vector<Object>& objects) {
  std::vector<std::string> out;
  for (const Object& object : objects) {
    out.push_back(std::string(KindOf(object).kind) + " " + KeyOf(object).ToString());
  }
  return out;
}

struct ErrorCase {
  const char* name;
  const char* json;
  const char* want;  // The error in full.
};

class DecodeErrorTest : public testing::TestWithParam<ErrorCase> {};

TEST_P(DecodeErrorTest, NamesObjectFieldAndValue) {
  const auto objects = DecodeJson(GetParam().json);
  ASSERT_FALSE(objects.has_value());
  EXPECT_EQ(objects.error().message, GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Texts, DecodeErrorTest,
    testing::Values(
        ErrorCase{"StringForInteger",
                  R"({"kind":"Pod","metadata":{"name":"web"},"spec":{"priority":"5"}})",
                  R"(Pod "default/web": spec.priority: expected an integer, found "5")"},
        ErrorCase{"FractionForInteger",
                  R"({"kind":"Pod","metadata":{"name":"web"},"spec":{"priority":1.5}})",
                  R"(Pod "default/web": spec.priority: expected an integer, found 1.5)"},
        ErrorCase{"TooLargeForItsField",
                  R"({"kind":"Pod","metadata":{"name":"web"},"spec":{"priority":3000000000}})",
                  R"(Pod "default/web": spec.priority: 3000000000 does not fit in 32 bits)"},
        ErrorCase{"TooLargeForAnything",
                  R"({"kind":"Pod","metadata":{"name":"web","generation":9223372036854775808}})",
                  R"(Pod "default/web": metadata.generation: 9223372036854775808 does not fit )"
                  "in 64 bits"},
        ErrorCase{"NameAfterTheMistake",
                  R"({"spec":{"hostNetwork":"yes"},"kind":"Pod",
                "metadata":{"namespace":"shop","name":"web"}})",
                  R"(Pod "shop/web": spec.hostNetwork: expected a boolean, found "yes")"},
        ErrorCase{"ClusterScopedName",
                  R"({"kind":"Node","metadata":{"name":"n1"},"spec":{"taints":{}}})",
                  R"(Node "n1": spec.taints: expected a list, found an object)"},
        ErrorCase{"ElementOfAList",
                  R"({"kind":"Pod","metadata":{"name":"web"},
                "spec":{"containers":[{"name":"a"},{"name":7}]}})",
                  R"(Pod "default/web": spec.containers[1].name: expected a string, found 7)"},
        ErrorCase{
            "KeyWithDots",
            R"({"kind":"Pod","metadata":{"name":"web","labels":{"example.com/x":true}}})",
            R"(Pod "default/web": metadata.labels[example.com/x]: expected a string, found true)"},
        ErrorCase{"ListForObject", R"({"kind":"Pod","metadata":{"name":"web"},"spec":[]})",
                  R"(Pod "default/web": spec: expected an object, found a list)"},
        ErrorCase{"BadTime",
                  R"({"kind":"Pod","metadata":{"name":"web","creationTimestamp":"yesterday"}})",
                  R"(Pod "default/web": metadata.creationTimestamp: invalid time "yesterday": )"
                  R"(timestamps must look like 2006-01-02T15:04:05Z)"},
        ErrorCase{"DuplicateKey", R"({"kind":"Pod","metadata":{"name":"web","uid":"1","uid":"2"}})",
                  R"(Pod "default/web": metadata.uid: duplicate key)"},
        ErrorCase{"DuplicateUnknownKey",
                  R"({"kind":"Pod","metadata":{"name":"web"},"x":1,"y":2,"x":3})",
                  R"(Pod "default/web": x: duplicate key)"},
        ErrorCase{"DuplicateMapKey",
                  R"({"kind":"Pod","metadata":{"name":"web","labels":{"a":"1","a":"1"}}})",
                  R"(Pod "default/web": metadata.labels.a: duplicate key)"},
        ErrorCase{"DuplicateByEscape",
                  R"({"kind":"Pod","metadata":{"name":"web","n\u0061me":"x"}})",
                  R"(Pod "default/web": metadata.name: duplicate key)"},
        ErrorCase{"NoName", R"({"kind":"Pod","metadata":{"generateName":"web-"}})",
                  "Pod: metadata.name is missing: the object needs a name, and generateName alone "
                  "is not one"},
        ErrorCase{"NoKind", R"({"metadata":{"name":"web"}})", "the document has no kind"},
        ErrorCase{"KindNotAString", R"({"kind":["Pod"]})", "kind: expected a string, found a list"},
        ErrorCase{
            "ItemOfAList",
            R"({"kind":"List","items":[{"kind":"Node","metadata":{"name":"n"}},
                  {"kind":"Pod","metadata":{"name":"web"},"spec":{"priority":{}}}]})",
            R"(items[1]: Pod "default/web": spec.priority: expected an integer, found an object)"},
        ErrorCase{"ItemWithoutKind", R"({"kind":"List","items":[{"metadata":{"name":"n"}}]})",
                  "items[0]: the item has no kind"},
        ErrorCase{"ItemNotAnObject", R"({"kind":"PodList","items":["web"]})",
                  R"(items[0]: expected an object, found "web")"},
        ErrorCase{"ListInAList", R"({"kind":"List","items":[{"kind":"List","items":[]}]})",
                  "items[0]: a List within a List is not supported"},
        ErrorCase{"ItemsNotAList", R"({"kind":"List","items":{}})",
                  "items: expected a list, found an object"},
        ErrorCase{"TextAfterTheDocument",
                  R"({"kind":"Node","metadata":{"name":"n"}} {"kind":"Node"})",
                  R"(Node "n": invalid JSON at line 1, column 41: unexpected {"kind":"Node"} )"
                  "after the document"},
        ErrorCase{
            "MissingComma", "{\"kind\":\"Node\",\n \"metadata\":{\"name\":\"n\" \"uid\":\"u\"}}",
            "Node \"n\": metadata.name: invalid JSON at line 2, column 25: missing or superfluous "
            "comma, colon, quote or bracket"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(DecodeJson, QuantityErrorsSayWhatAQuantityIs) {
  const auto objects = DecodeJson(
      R"({"kind":"Node","metadata":{"name":"worker-1"},
          "status":{"allocatable":{"cpu":"4 cores"}}})");
  ASSERT_FALSE(objects.has_value());
  const std::string want =
      R"(Node "worker-1": status.allocatable.cpu: invalid quantity "4 cores": )";
  EXPECT_EQ(objects.error().message.substr(0, want.size()), want);
  EXPECT_GT(objects.error().message.size(), want.size());
}

TEST(DecodeJson, LongValuesAreShortened) {
  const std::string value(100'000, 'x');
  const auto objects = DecodeJson(
      R"({"kind":"Pod","metadata":{"name":"web"},"spec":{"priority":")" + value + R"("}})");
  ASSERT_FALSE(objects.has_value());
  EXPECT_EQ(objects.error().message,
            R"(Pod "default/web": spec.priority: expected an integer, found ")" +
                value.substr(0, 59) + "...");
}

struct ListCase {
  const char* name;
  const char* json;
  std::vector<std::string> want;
};

class DecodeListTest : public testing::TestWithParam<ListCase> {};

TEST_P(DecodeListTest, GivesTheObjectsInOrder) {
  const auto objects = DecodeJson(GetParam().json);
  ASSERT_TRUE(objects.has_value()) << objects.error().message;
  EXPECT_EQ(Describe(*objects), GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Documents, DecodeListTest,
    testing::Values(
        ListCase{"OneObject", R"({"kind":"Pod","metadata":{"name":"p"}})", {"Pod default/p"}},
        ListCase{"KindAtTheEnd",
                 R"({"metadata":{"name":"p"},"spec":{},"kind":"Pod"})",
                 {"Pod default/p"}},
        ListCase{"AnyApiVersion",
                 R"({"apiVersion":"policy/v1beta1","kind":"PodDisruptionBudget",
                     "metadata":{"name":"b"}})",
                 {"PodDisruptionBudget default/b"}},
        ListCase{"UnknownKind", R"({"kind":"Deployment","metadata":{},"spec":[1]})", {}},
        ListCase{"UnknownListWithoutItems", R"({"kind":"AllowList","spec":{}})", {}},
        ListCase{"UnknownListWithOtherItems", R"({"kind":"AllowList","items":{"a":1}})", {}},
        ListCase{"MixedList",
                 R"({"apiVersion":"v1","items":[{"kind":"Node","metadata":{"name":"n"}},
                 {"kind":"Event","metadata":{"name":"e"}},
                 {"kind":"Pod","metadata":{"name":"p","namespace":"x"}}],"kind":"List"})",
                 {"Node n", "Pod x/p"}},
        ListCase{
            "ItemsOfATypedListNeedNoKind",
            R"({"kind":"PodList","items":[{"metadata":{"name":"p"}},{"metadata":{"name":"q"}}]})",
            {"Pod default/p", "Pod default/q"}},
        ListCase{"ItemsOfAnUnknownKind",
                 R"({"kind":"EventList","items":[{"metadata":{"name":"e"}}]})",
                 {}},
        ListCase{"NullItems", R"({"kind":"PodList","items":null})", {}},
        ListCase{"EmptyItems", R"({"kind":"List","items":[]})", {}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(DecodeJsonAs, NeedsNoKindButMindsAWrongOne) {
  EXPECT_TRUE(DecodeJsonAs<Pod>(R"({"metadata":{"name":"p"}})").has_value());
  EXPECT_TRUE(DecodeJsonAs<Pod>(R"({"kind":"Pod","metadata":{"name":"p"}})").has_value());
  const auto wrong = DecodeJsonAs<Pod>(R"({"kind":"Node","metadata":{"name":"p"}})");
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().message, R"(expected a Pod, found kind "Node")");
}

TEST(DecodeJson, IntegersMayBeWrittenAsYamlFloats) {
  const auto pod = DecodeJsonAs<Pod>(R"({"metadata":{"name":"p"},"spec":{"priority":1e3}})");
  ASSERT_TRUE(pod.has_value()) << pod.error().message;
  EXPECT_EQ((*pod)->spec.priority, 1000);
}

TEST(DecodeJson, EscapesInKeysAndValuesAreUndone) {
  const auto pod =
      DecodeJsonAs<Pod>(R"({"metadata":{"n\u0061me":"p\ud83d\ude00\/\n","labels":{"\"":"\\"}}})");
  ASSERT_TRUE(pod.has_value()) << pod.error().message;
  EXPECT_EQ((*pod)->metadata.name, "p\U0001f600/\n");
  EXPECT_EQ((*pod)->metadata.labels, (StringMap{{"\"", "\\"}}));
  const auto again = DecodeJsonAs<Pod>(EncodeJson(**pod));
  ASSERT_TRUE(again.has_value()) << again.error().message;
  EXPECT_EQ(**again, **pod);
}

TEST(DecodeJson, DuplicatesAreFoundAmongManyKeys) {
  std::string json = R"({"kind":"Pod","metadata":{"name":"p"})";
  for (int i = 0; i < 1000; ++i) json += ",\"field" + std::to_string(i) + "\":1";
  EXPECT_TRUE(DecodeJson(json + "}").has_value());
  const auto twice = DecodeJson(json + ",\"field500\":1}");
  ASSERT_FALSE(twice.has_value());
  EXPECT_EQ(twice.error().message, R"(Pod "default/p": field500: duplicate key)");
}

TEST(DecodeJson, OneDocumentLeavesNoTraceInTheNext) {
  ASSERT_FALSE(DecodeJson(R"({"kind":"List","items":[{"kind":"Pod","spec":{"priority":"x"}}]})")
                   .has_value());
  const auto objects = DecodeJson(R"({"kind":"Node","metadata":{"name":"n"}})");
  ASSERT_TRUE(objects.has_value()) << objects.error().message;
  EXPECT_EQ(Describe(*objects), std::vector<std::string>{"Node n"});
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::api
