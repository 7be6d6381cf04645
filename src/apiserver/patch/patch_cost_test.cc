// Patches that cost more than their size and that of the object: each is linear, or refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>

#include "api/field_errors.h"
#include "api/scheme/scheme.h"
#include "apiserver/patch/patches.h"
#include "apiserver/patch/server_side_apply.h"

namespace berth::apiserver::patch {
namespace BERTH_TEST_FILE {

using boost::json::array;
using boost::json::object;
using testing::HasSubstr;
using testing::SizeIs;

array Numbers(int count) {
  array list;
  for (int i = 0; i < count; ++i) list.emplace_back(i);
  return list;
}

api::Json InsertAtFront(int count) {
  array patch;
  for (int i = 0; i < count; ++i) {
    patch.push_back(object{{"op", "add"}, {"path", "/list/0"}, {"value", i}});
  }
  return patch;
}

TEST(JsonPatchCost, InsertionsAtTheFrontOfAnEmptyListSucceed) {
  const auto patched = ApplyJsonPatch(object{{"list", array{}}}, InsertAtFront(10'000));
  ASSERT_TRUE(patched) << patched.error().message;
  EXPECT_THAT(patched->at("list").as_array(), SizeIs(10'000));
}

TEST(JsonPatchCost, ShiftedElementsAreLimited) {
  const object document{{"list", Numbers(100'000)}};
  const auto inserted = ApplyJsonPatch(document, InsertAtFront(10'000));
  ASSERT_FALSE(inserted);
  EXPECT_EQ(inserted.error().code, 413);
  EXPECT_THAT(inserted.error().message, HasSubstr("the patch shifts too many elements of lists"));
  EXPECT_TRUE(ApplyJsonPatch(document, InsertAtFront(400)));

  array removals;
  for (int i = 0; i < 10'000; ++i)
    removals.push_back(object{{"op", "remove"}, {"path", "/list/0"}});
  EXPECT_EQ(ApplyJsonPatch(document, removals).error().code, 413);
  array moves;
  for (int i = 0; i < 10'000; ++i) {
    moves.push_back(object{{"op", "move"}, {"from", "/list/0"}, {"path", "/list/-"}});
  }
  EXPECT_EQ(ApplyJsonPatch(document, moves).error().code, 413);
  array appends;
  for (int i = 0; i < 10'000; ++i) {
    appends.push_back(object{{"op", "add"}, {"path", "/list/-"}, {"value", i}});
  }
  EXPECT_TRUE(ApplyJsonPatch(document, appends));
}

TEST(JsonPatchCost, CopiedBytesAreLimited) {
  const object document{{"text", std::string(1'000'000, 'x')}, {"map", object{{"k", "v"}}}};
  const auto copy = [](const std::string& from, int times) {
    array patch;
    for (int i = 0; i < times; ++i) {
      patch.push_back(object{{"op", "copy"}, {"from", from}, {"path", from + std::to_string(i)}});
    }
    return patch;
  };
  EXPECT_TRUE(ApplyJsonPatch(document, copy("/text", 3)));
  const auto refused = ApplyJsonPatch(document, copy("/text", 4));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, 413);
  EXPECT_THAT(refused.error().message, HasSubstr("the copied values exceed the limit of 3145728"));
  // Each copy doubles the map.
  array doubling;
  for (int i = 0; i < 40; ++i) {
    doubling.push_back(
        object{{"op", "copy"}, {"from", "/map"}, {"path", "/map/" + std::to_string(i)}});
  }
  EXPECT_EQ(ApplyJsonPatch(document, doubling).error().code, 413);
}

TEST(MergePatchCost, ManyMembersAreRemovedInLinearTime) {
  object document;
  object patch;
  for (int i = 0; i < 100; ++i) {
    object& map = document[std::to_string(i)].emplace_object();
    object& nulls = patch[std::to_string(i)].emplace_object();
    for (int k = 0; k < 1'000; ++k) {
      map[std::to_string(k)] = 1;
      nulls[std::to_string(k)] = nullptr;
    }
  }
  const api::Json merged = ApplyMergePatch(document, patch);
  EXPECT_THAT(merged.at("7").as_object(), SizeIs(0));
}

object Named(const std::string& name) { return object{{"name", name}}; }

api::Json PodWithVariables(int count) {
  array variables;
  for (int i = 0; i < count; ++i) variables.push_back(Named(std::to_string(i)));
  return object{{"kind", "Pod"},
                {"spec", object{{"containers", array{object{{"name", "c"}, {"env", variables}}}}}}};
}

TEST(StrategicPatchCost, RepeatedElementsAreLimited) {
  const auto patch_of = [](int times, const object& change) {
    array containers;
    for (int i = 0; i < times; ++i) containers.push_back(change);
    return api::Json(object{{"spec", object{{"containers", containers}}}});
  };
  const api::Json pod = PodWithVariables(50'000);
  const object add_variable{{"name", "c"}, {"env", array{Named("x")}}};
  EXPECT_TRUE(ApplyStrategicPatch(pod, patch_of(2, add_variable)));
  const auto refused = ApplyStrategicPatch(pod, patch_of(50'000, add_variable));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, 422);
  EXPECT_THAT(refused.error().message,
              HasSubstr("names the same elements of large lists too often"));

  const object order{{"name", "c"}, {"$setElementOrder/env", array{Named("1")}}};
  EXPECT_EQ(ApplyStrategicPatch(pod, patch_of(50'000, order)).error().code, 422);
  // A long key counts as much as many short ones.
  const api::Json long_name =
      boost::json::parse(R"({"kind":"Pod","spec":{"containers":[{"name":"c","env":[{"name":")" +
                         std::string(1'000'000, 'x') + R"("}]}]}})");
  EXPECT_EQ(ApplyStrategicPatch(long_name, patch_of(50'000, add_variable)).error().code, 422);

  object members{{"name", "c"}};
  for (int i = 0; i < 50'000; ++i) members[std::to_string(i)] = 1;
  const api::Json wide = object{{"kind", "Pod"}, {"spec", object{{"containers", array{members}}}}};
  const object retain{{"name", "c"}, {"$retainKeys", array{"name"}}, {"x", nullptr}};
  const object nothing{{"name", "c"}, {"x", nullptr}};
  EXPECT_TRUE(ApplyStrategicPatch(wide, patch_of(2, retain)));
  EXPECT_EQ(ApplyStrategicPatch(wide, patch_of(50'000, nothing)).error().code, 422);
}

TEST(StrategicPatchCost, LongListsMergeAndSortInLinearTime) {
  const int count = 100'000;
  array variables;
  array order;
  for (int i = 0; i < count; ++i) {
    variables.push_back(object{{"name", std::to_string(i)}, {"value", "v"}});
    order.push_back(Named(std::to_string(count - 1 - i)));
  }
  const api::Json patch =
      object{{"spec", object{{"containers", array{object{{"name", "c"},
                                                         {"env", variables},
                                                         {"$setElementOrder/env", order}}}}}}};
  const auto patched = ApplyStrategicPatch(PodWithVariables(count), patch);
  ASSERT_TRUE(patched) << patched.error().message;
  const api::Json& env = patched->at("spec").at("containers").at(0).at("env");
  EXPECT_EQ(env.at(0), api::Json(object{{"name", std::to_string(count - 1)}, {"value", "v"}}));
}

api::scheme::ApiResult<api::Json> Apply(const api::Json& live, const api::Json& config,
                                        const char* manager) {
  static const api::scheme::Kind& kind = api::scheme::KindOf("configmaps");
  return ServerSideApply(kind, live, config, {manager, false, Instant{}, ""});
}

api::Json ConfigMap(object data) { return object{{"data", std::move(data)}}; }

// Copying the union of all fields for each manager would take hours.
TEST(ApplyCost, ManyManagersCostNoMoreThanTheirFields) {
  array managers;
  for (int i = 0; i < 50'000; ++i) {
    const std::string index = std::to_string(i);
    managers.push_back(object{{"manager", "m" + index},
                              {"operation", "Update"},
                              {"apiVersion", "v1"},
                              {"fieldsType", "FieldsV1"},
                              {"fieldsV1", object{{"f:data", object{{"f:" + index, object{}}}}}}});
  }
  api::Json live = ConfigMap({{"0", "x"}});
  live.as_object()["metadata"] = object{{"managedFields", std::move(managers)}};
  const auto applied = Apply(live, ConfigMap({{"z", "1"}}), "me");
  ASSERT_TRUE(applied) << applied.error().message;
  EXPECT_THAT(applied->at("metadata").at("managedFields").as_array(), SizeIs(50'001));
}

// A copy of the path for each field would take 25 GB.
TEST(ApplyCost, ConflictsAreLimitedInNumberAndBytes) {
  const auto config_of = [](int value) {
    object below;
    for (int i = 0; i < 50'000; ++i) below[std::to_string(i)] = value;
    return ConfigMap({{std::string(500'000, 'k'), below}});
  };
  const auto first = Apply(api::Json(), config_of(1), "first");
  ASSERT_TRUE(first) << first.error().message;
  const auto second = Apply(*first, config_of(2), "second");
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, 409);
  EXPECT_THAT(second.error().message, HasSubstr("Apply failed with 50000 conflicts"));
  EXPECT_THAT(second.error().causes, SizeIs(api::kMaxReportedErrors));
  EXPECT_LT(second.error().message.size(), 110 * api::kMaxQuotedBytes);
}

TEST(ApplyCost, ManyFieldsArePrunedInLinearTime) {
  object data;
  for (int i = 0; i < 100; ++i) {
    object& map = data[std::to_string(i)].emplace_object();
    for (int k = 0; k < 1'000; ++k) map[std::to_string(k)] = 1;
  }
  const auto first = Apply(api::Json(), ConfigMap(data), "me");
  ASSERT_TRUE(first) << first.error().message;
  object rest;
  for (int i = 0; i < 100; ++i) rest[std::to_string(i)] = object{{"0", 1}};
  const auto second = Apply(*first, ConfigMap(rest), "me");
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(second->at("data"), api::Json(rest));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::patch
