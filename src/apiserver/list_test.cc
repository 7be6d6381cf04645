#include "apiserver/list.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "testing/stored_objects.h"

namespace berth::apiserver {
namespace BERTH_TEST_FILE {

class ListTest : public testing::Test {
 protected:
  ListTest() {
    objects_.Create(pods_, {"x", "a"}, {.labels = {{"app", "web"}}});
    objects_.Create(pods_, {"x", "b"});
    objects_.Create(pods_, {"y", "a"}, {.labels = {{"app", "web"}}});
    objects_.Create(pods_, {"y", "c"});
  }

  // Returns the list, or an object with the error's code.
  boost::json::value List(std::string_view query, std::string_view namespace_ = "",
                          std::string_view accept = "") {
    const auto parsed = Query::Parse(query);
    const auto options = ReadListOptions(*parsed, false);
    if (!options) return {{"code", options.error().code}};
    const auto selector =
        ObjectSelector::Make(pods_, options->label_selector, options->field_selector);
    const auto form = ObjectForm::Make(api::scheme::RefTo(pods_), accept, *parsed, clock_);
    const auto response = ListObjects(objects_.store(), namespace_, *options, *selector, *form);
    if (!response) return {{"code", response.error().code}, {"reason", response.error().reason}};
    version_ = response->version;
    return boost::json::parse(TextOf(response->body));
  }
  // Returns "x/a x/b", or the code.
  std::string NamesIn(const boost::json::value& list) {
    if (list.as_object().contains("code")) return std::to_string(list.at("code").as_int64());
    std::string names;
    for (const auto& item : list.at("items").as_array()) {
      const auto& metadata = item.at("metadata");
      if (!names.empty()) names += ' ';
      names += fmt::format("{}/{}", std::string_view(metadata.at("namespace").as_string()),
                           std::string_view(metadata.at("name").as_string()));
    }
    return names;
  }
  std::string Names(std::string_view query, std::string_view namespace_ = "") {
    return NamesIn(List(query, namespace_));
  }
  static std::string Text(const boost::json::value& value, std::string_view key) {
    const auto* found = value.at("metadata").as_object().if_contains(key);
    return found == nullptr ? "none" : std::string(found->as_string());
  }

  const api::scheme::Kind& pods_ = api::scheme::KindOf("pods");
  StoredObjects objects_{4};
  SimClock clock_;
  store::Version version_ = 0;
};

TEST_F(ListTest, IsOrderedByNamespaceAndName) {
  const auto list = List("");
  EXPECT_EQ(list.at("kind").as_string(), "PodList");
  EXPECT_EQ(list.at("apiVersion").as_string(), "v1");
  EXPECT_EQ(NamesIn(list), "x/a x/b y/a y/c");
  EXPECT_EQ(Text(list, "resourceVersion"), std::to_string(objects_.store().version()));
  EXPECT_EQ(version_, objects_.store().version());
}

TEST_F(ListTest, OfANamespaceAndWithSelectors) {
  EXPECT_EQ(Names("", "y"), "y/a y/c");
  EXPECT_EQ(Names("", "nowhere"), "");
  EXPECT_EQ(Names("labelSelector=app%3Dweb"), "x/a y/a");
  EXPECT_EQ(Names("labelSelector=!app", "x"), "x/b");
  EXPECT_EQ(Names("fieldSelector=metadata.name%3Da"), "x/a y/a");
  EXPECT_EQ(Names("fieldSelector=metadata.name%3Da", "y"), "y/a");
  EXPECT_EQ(Names("fieldSelector=metadata.name%3Dz", "y"), "");
}

TEST_F(ListTest, PagesFollowEachOtherAtOneVersion) {
  const auto first = List("limit=3");
  EXPECT_EQ(NamesIn(first), "x/a x/b y/a");
  EXPECT_EQ(first.at("metadata").at("remainingItemCount").as_int64(), 1);
  const std::string token = Text(first, "continue");

  objects_.Delete(pods_, {"y", "c"});
  objects_.Create(pods_, {"y", "d"});
  const auto second = List("limit=3&continue=" + token);
  EXPECT_EQ(NamesIn(second), "y/c");
  EXPECT_EQ(Text(second, "resourceVersion"), Text(first, "resourceVersion"));
  EXPECT_EQ(Text(second, "continue"), "none");
}

TEST_F(ListTest, APageOfADroppedVersionIsExpired) {
  const std::string token = Text(List("limit=1"), "continue");
  for (int i = 0; i < 10; ++i) objects_.Replace(pods_, {"x", "b"});
  const auto second = List("limit=1&continue=" + token);
  EXPECT_EQ(NamesIn(second), "410");
  EXPECT_EQ(second.at("reason").as_string(), "Expired");
}

TEST_F(ListTest, WithASelectorThereIsNoRemainingItemCount) {
  const auto first = List("limit=1&labelSelector=app");
  EXPECT_EQ(NamesIn(first), "x/a");
  EXPECT_FALSE(first.at("metadata").as_object().contains("remainingItemCount"));
  EXPECT_EQ(Names("limit=1&labelSelector=app&continue=" + Text(first, "continue")), "y/a");
}

TEST_F(ListTest, TokensAreChecked) {
  EXPECT_EQ(Names("continue=abc"), "400");
  const std::string token = Text(List("limit=1"), "continue");
  EXPECT_EQ(Names("continue=" + token, "x"), "400");
  EXPECT_EQ(Names("resourceVersion=5&continue=" + token), "400");
}

TEST_F(ListTest, VersionsHaveTheSemanticsOfKubernetes) {
  const store::Version now = objects_.store().version();
  EXPECT_EQ(Names("resourceVersion=0&limit=2"), "x/a x/b y/a y/c");
  EXPECT_EQ(Names("resourceVersion=1"), "x/a x/b y/a y/c");
  EXPECT_EQ(Names(fmt::format("resourceVersion={}&resourceVersionMatch=NotOlderThan", now)),
            "x/a x/b y/a y/c");
  EXPECT_EQ(Names(fmt::format("resourceVersion={}", now + 1)), "504");
  EXPECT_EQ(Names(fmt::format("resourceVersion={}&resourceVersionMatch=Exact", now - 1)),
            "x/a x/b y/a");
  EXPECT_EQ(Names("resourceVersion=5&resourceVersionMatch=Exact"), "410");
}

TEST_F(ListTest, PartialMetadataIsASliceOfTheObjects) {
  const auto list =
      List("", "x", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
  EXPECT_EQ(list.at("kind").as_string(), "PartialObjectMetadataList");
  EXPECT_EQ(list.at("apiVersion").as_string(), "meta.k8s.io/v1");
  EXPECT_EQ(NamesIn(list), "x/a x/b");
  EXPECT_EQ(list.at("items").at(0).at("kind").as_string(), "PartialObjectMetadata");
}

TEST_F(ListTest, ObjectsAreNotCopied) {
  std::vector<net::Piece> pieces;
  ObjectForm(api::scheme::RefTo(pods_))
      .AppendList({objects_.store().Get(pods_.collection, {"x", "a"})}, "{}", pieces);
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_EQ(pieces[1].bytes.data(),
            objects_.store().Get(pods_.collection, {"x", "a"})->json.data());
}

TEST(ContinueTokenTest, RoundTrips) {
  const ContinueToken token{1234, {"default", "web-1"}};
  const std::string text = EncodeContinue(api::scheme::KindOf("pods"), "default", token);
  EXPECT_EQ(DecodeContinue(api::scheme::KindOf("pods"), "default", text), token);
}

TEST(ContinueTokenTest, IsValidOnlyForItsList) {
  const std::string text =
      EncodeContinue(api::scheme::KindOf("pods"), "default", {1234, {"default", "web-1"}});
  EXPECT_EQ(DecodeContinue(api::scheme::KindOf("pods"), "", text), std::nullopt);
  EXPECT_EQ(DecodeContinue(api::scheme::KindOf("services"), "default", text), std::nullopt);
}

TEST(ContinueTokenTest, DetectsDamage) {
  const std::string text =
      EncodeContinue(api::scheme::KindOf("pods"), "", {1234, {"default", "web-1"}});
  for (size_t i = 0; i < text.size(); ++i) {
    std::string damaged = text;
    damaged[i] = damaged[i] == 'A' ? 'B' : 'A';
    EXPECT_EQ(DecodeContinue(api::scheme::KindOf("pods"), "", damaged), std::nullopt) << i;
    EXPECT_EQ(DecodeContinue(api::scheme::KindOf("pods"), "", text.substr(0, i)), std::nullopt)
        << i;
  }
  EXPECT_EQ(DecodeContinue(api::scheme::KindOf("pods"), "", "YWJj"), std::nullopt);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver
