// JSON patches and merge patches: document, patch and expected result.
#include "apiserver/patch/patches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>

#include "apiserver/patch/patch_testing.h"

namespace berth::apiserver::patch {
namespace BERTH_TEST_FILE {

using boost::json::parse;
using boost::json::serialize;
using testing::HasSubstr;

class JsonPatchTest : public testing::TestWithParam<PatchCase> {};

TEST_P(JsonPatchTest, Applies) {
  const auto got = ApplyJsonPatch(parse(GetParam().document), parse(GetParam().patch));
  ASSERT_TRUE(got.has_value()) << got.error().message;
  EXPECT_EQ(*got, parse(GetParam().want)) << serialize(*got);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, JsonPatchTest,
    testing::Values(
        PatchCase{"AddsAMember", R"({"a":1})", R"([{"op":"add","path":"/b","value":{"c":2}}])",
                  R"({"a":1,"b":{"c":2}})"},
        PatchCase{"AddOverwritesAMember", R"({"a":1})", R"([{"op":"add","path":"/a","value":2}])",
                  R"({"a":2})"},
        PatchCase{"AddInsertsIntoAnArray", R"({"a":[1,3]})",
                  R"([{"op":"add","path":"/a/1","value":2}])", R"({"a":[1,2,3]})"},
        PatchCase{"AddAppendsAtTheSize", R"({"a":[1]})",
                  R"([{"op":"add","path":"/a/1","value":2}])", R"({"a":[1,2]})"},
        PatchCase{"AddAppendsAtTheDash", R"({"a":[1]})",
                  R"([{"op":"add","path":"/a/-","value":2}])", R"({"a":[1,2]})"},
        PatchCase{"AddAtTheRootReplacesAll", R"({"a":1})", R"([{"op":"add","path":"","value":[]}])",
                  R"([])"},
        PatchCase{"RemovesAMember", R"({"a":1,"b":2})", R"([{"op":"remove","path":"/a"}])",
                  R"({"b":2})"},
        PatchCase{"RemovesAnElement", R"({"a":[1,2,3]})", R"([{"op":"remove","path":"/a/1"}])",
                  R"({"a":[1,3]})"},
        PatchCase{"Replaces", R"({"a":{"b":1}})",
                  R"([{"op":"replace","path":"/a/b","value":null}])", R"({"a":{"b":null}})"},
        PatchCase{"MovesAMember", R"({"a":{"x":1},"b":{}})",
                  R"([{"op":"move","from":"/a/x","path":"/b/y"}])", R"({"a":{},"b":{"y":1}})"},
        PatchCase{"MovesAnElement", R"([1,2,3])", R"([{"op":"move","from":"/0","path":"/2"}])",
                  R"([2,3,1])"},
        PatchCase{"MoveOntoItselfChangesNothing", R"({"a":1})",
                  R"([{"op":"move","from":"/a","path":"/a"}])", R"({"a":1})"},
        PatchCase{"Copies", R"({"a":[1]})", R"([{"op":"copy","from":"/a","path":"/b"}])",
                  R"({"a":[1],"b":[1]})"},
        PatchCase{"TestPassesRegardlessOfMemberOrder", R"({"a":{"x":1,"y":[2]}})",
                  R"([{"op":"test","path":"/a","value":{"y":[2],"x":1}}])",
                  R"({"a":{"x":1,"y":[2]}})"},
        PatchCase{"TokensAreUnescaped", R"({"a/b":{"c~d":1}})",
                  R"([{"op":"replace","path":"/a~1b/c~0d","value":2}])", R"({"a/b":{"c~d":2}})"},
        PatchCase{"AnEmptyTokenIsAMember", R"({"":{"a":1}})", R"([{"op":"remove","path":"//a"}])",
                  R"({"":{}})"},
        PatchCase{"OperationsFollowOneAnother", R"({})",
                  R"([{"op":"add","path":"/a","value":{}},{"op":"add","path":"/a/b","value":1},
                      {"op":"test","path":"/a/b","value":1}])",
                  R"({"a":{"b":1}})"}),
    NameOf);

class FailingJsonPatchTest : public testing::TestWithParam<PatchCase> {};

TEST_P(FailingJsonPatchTest, NamesOperationAndPath) {
  const auto got = ApplyJsonPatch(parse(GetParam().document), parse(GetParam().patch));
  ASSERT_FALSE(got.has_value()) << serialize(*got);
  EXPECT_EQ(got.error().code, 422);
  EXPECT_EQ(got.error().reason, "Invalid");
  EXPECT_THAT(got.error().message, HasSubstr(GetParam().want));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, FailingJsonPatchTest,
    testing::Values(
        PatchCase{"Test", R"({"a":1})", R"([{"op":"test","path":"/a","value":2}])",
                  R"("test" at "/a")"},
        PatchCase{"TestOfAMissingMember", R"({})", R"([{"op":"test","path":"/a","value":null}])",
                  R"(no member "a")"},
        PatchCase{"RemoveOfAMissingMember", R"({"a":{}})", R"([{"op":"remove","path":"/a/b"}])",
                  R"("remove" at "/a/b")"},
        PatchCase{"ReplaceOfAMissingMember", R"({})", R"([{"op":"replace","path":"/a","value":1}])",
                  R"("replace" at "/a")"},
        PatchCase{"AddWithoutParent", R"({})", R"([{"op":"add","path":"/a/b","value":1}])",
                  R"("add" at "/a/b")"},
        PatchCase{"AddInsideAString", R"({"a":"x"})", R"([{"op":"add","path":"/a/b","value":1}])",
                  R"("add" at "/a/b")"},
        PatchCase{"AddBeyondTheArray", R"({"a":[1]})", R"([{"op":"add","path":"/a/2","value":1}])",
                  R"("2" is no place in the array, which has 1 elements)"},
        PatchCase{"NegativeIndex", R"([1])", R"([{"op":"remove","path":"/-1"}])",
                  R"("remove" at "/-1")"},
        PatchCase{"IndexWithLeadingZero", R"([1,2])", R"([{"op":"remove","path":"/01"}])",
                  R"("remove" at "/01")"},
        PatchCase{"IndexTooLargeForAnyNumber", R"([1])",
                  R"([{"op":"remove","path":"/99999999999999999999999"}])", R"("remove")"},
        PatchCase{"DashIsNoElement", R"([1])", R"([{"op":"remove","path":"/-"}])", R"("-")"},
        PatchCase{"PathWithoutSlash", R"({"a":1})", R"([{"op":"remove","path":"a"}])",
                  "does not start with a slash"},
        PatchCase{"BadEscape", R"({"a":1})", R"([{"op":"remove","path":"/~2"}])", "tilde"},
        PatchCase{"MoveIntoItself", R"({"a":{}})", R"([{"op":"move","from":"/a","path":"/a/b"}])",
                  "cannot move into itself"},
        PatchCase{"MoveFromNowhere", R"({})", R"([{"op":"move","from":"/a","path":"/b"}])",
                  R"("move" at "/b")"},
        PatchCase{"CopyWithoutFrom", R"({})", R"([{"op":"copy","path":"/b"}])", R"(no "from")"},
        PatchCase{"AddWithoutValue", R"({})", R"([{"op":"add","path":"/b"}])", R"(no "value")"},
        PatchCase{"UnknownOperation", R"({})", R"([{"op":"destroy","path":"/b"}])",
                  R"("destroy" at "/b")"}),
    NameOf);

TEST(JsonPatch, RequiresAListOfOperations) {
  for (const char* patch : {R"({})", R"([1])", R"([{"op":"add"}])", R"([{"op":1,"path":"/a"}])"}) {
    const auto got = ApplyJsonPatch(parse("{}"), parse(patch));
    ASSERT_FALSE(got.has_value()) << patch;
    EXPECT_EQ(got.error().code, 400) << patch;
  }
}

TEST(JsonPatch, CannotGrowADocumentWithoutLimit) {
  std::string doubling = R"({"op":"copy","from":"","path":"/-"})";
  std::string patch = "[" + doubling;
  for (int i = 0; i < 40; ++i) patch += "," + doubling;
  auto got = ApplyJsonPatch(parse("[1,2,3]"), parse(patch + "]"));
  ASSERT_FALSE(got.has_value());
  EXPECT_THAT(got.error().message, HasSubstr("the copied values exceed the limit"));

  std::string path;
  patch = "[";
  for (int i = 0; i < 300; ++i) {
    if (i > 0) patch += ",";
    path += "/a";
    patch += R"({"op":"add","path":")" + path + R"(","value":{}})";
  }
  got = ApplyJsonPatch(parse("{}"), parse(patch + "]"));
  ASSERT_FALSE(got.has_value());
  EXPECT_THAT(got.error().message, HasSubstr("deep"));
}

TEST(JsonPatch, HasALimitedNumberOfOperations) {
  api::JsonArray patch(10'001, parse(R"({"op":"test","path":"","value":{}})"));
  const auto got = ApplyJsonPatch(parse("{}"), patch);
  ASSERT_FALSE(got.has_value());
  EXPECT_EQ(got.error().code, 413);
}

class MergePatchTest : public testing::TestWithParam<PatchCase> {};

TEST_P(MergePatchTest, Applies) {
  const api::Json got = ApplyMergePatch(parse(GetParam().document), parse(GetParam().patch));
  EXPECT_EQ(got, parse(GetParam().want)) << serialize(got);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, MergePatchTest,
    testing::Values(
        PatchCase{"SetsAndAdds", R"({"a":"b"})", R"({"a":"c","d":1})", R"({"a":"c","d":1})"},
        PatchCase{"NullRemoves", R"({"a":"b","c":1})", R"({"a":null,"x":null})", R"({"c":1})"},
        PatchCase{"ListsAreReplaced", R"({"a":[1,2]})", R"({"a":[3]})", R"({"a":[3]})"},
        PatchCase{"ObjectsMerge", R"({"a":{"b":1,"c":2}})", R"({"a":{"b":null,"d":3}})",
                  R"({"a":{"c":2,"d":3}})"},
        PatchCase{"AnObjectReplacesAString", R"({"a":"x"})", R"({"a":{"b":{"c":null,"d":1}}})",
                  R"({"a":{"b":{"d":1}}})"},
        PatchCase{"NullsInListsStay", R"({})", R"({"a":[null,{"b":null}]})",
                  R"({"a":[null,{"b":null}]})"},
        PatchCase{"WhatIsNoObjectReplacesAll", R"({"a":1})", R"([1])", R"([1])"}),
    NameOf);

TEST(PatchTypeOf, DependsOnTheContentType) {
  EXPECT_EQ(PatchTypeOf("application/json-patch+json"), PatchType::kJson);
  EXPECT_EQ(PatchTypeOf("application/merge-patch+json"), PatchType::kMerge);
  EXPECT_EQ(PatchTypeOf("application/strategic-merge-patch+json ; charset=utf-8"),
            PatchType::kStrategic);
  EXPECT_EQ(PatchTypeOf("application/apply-patch+yaml"), PatchType::kApply);
  const auto unknown = PatchTypeOf("application/json");
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().code, 415);
  EXPECT_EQ(unknown.error().reason, "UnsupportedMediaType");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::patch
