// The limit of an object's size, for every way to make one larger.
#include <gtest/gtest.h>

#include "apiserver/registry/api_testing.h"
#include "apiserver/registry/write_attempt.h"

namespace berth::apiserver::registry {
namespace BERTH_TEST_FILE {

// A config map with `bytes` of data.
std::string ConfigMap(size_t bytes) {
  return "{'metadata':{'name':'m'},'data':{'a':'" + std::string(bytes, 'x') + "'}}";
}

template <typename T>
std::string OutcomeOf(const api::scheme::ApiResult<T>& result) {
  return ErrorOf(result).substr(0, 61);
}

constexpr const char* kTooLarge = "413 RequestEntityTooLarge: etcdserver: request is too large: ";
constexpr size_t kNearly = kMaxObjectBytes - 1000;

TEST(ObjectSize, IsLimitedAtCreation) {
  ApiFixture fixture;
  EXPECT_EQ(OutcomeOf(fixture.Create("configmaps", ConfigMap(kMaxObjectBytes))), kTooLarge);
  EXPECT_EQ(OutcomeOf(fixture.Create("configmaps", ConfigMap(kNearly))), "ok");
}

TEST(ObjectSize, IsLimitedInDryRuns) {
  ApiFixture fixture;
  const WriteOptions options{.dry_run = true};
  EXPECT_EQ(OutcomeOf(fixture.api.Create(api::scheme::KindOf("configmaps"), "default",
                                         Doc(ConfigMap(kMaxObjectBytes)), options)),
            kTooLarge);
}

TEST(ObjectSize, IsLimitedInUpdatesAndPatches) {
  ApiFixture fixture;
  fixture.Make("configmaps", ConfigMap(kNearly));
  const std::string more(2000, 'y');
  const std::string patch = "{'data':{'b':'" + more + "'}}";
  EXPECT_EQ(OutcomeOf(fixture.Update("configmaps", "m", Doc(ConfigMap(kMaxObjectBytes)))),
            kTooLarge);
  EXPECT_EQ(OutcomeOf(fixture.Merge("configmaps", "m", patch)), kTooLarge);
  const auto patched = [&](patch::PatchType type, const std::string& text) {
    return OutcomeOf(fixture.api.Patch(api::scheme::KindOf("configmaps"), {"default", "m"}, "",
                                       type, Doc(text), {.field_manager = "me"}));
  };
  EXPECT_EQ(patched(patch::PatchType::kStrategic, patch), kTooLarge);
  EXPECT_EQ(patched(patch::PatchType::kApply, patch), kTooLarge);
  EXPECT_EQ(patched(patch::PatchType::kJson, "[{'op':'copy','from':'/data/a','path':'/data/b'}]"),
            kTooLarge);
  EXPECT_EQ(OutcomeOf(fixture.Merge("configmaps", "m", "{'data':{'b':'y'}}")), "ok");
}

TEST(ObjectSize, IncludesManagedFields) {
  ApiFixture fixture;
  std::string data;
  for (int i = 0; i < 60'000; ++i) data += "'k" + std::to_string(i) + "':'v',";
  data.back() = '}';
  EXPECT_EQ(OutcomeOf(fixture.api.Patch(api::scheme::KindOf("configmaps"), {"default", "m"}, "",
                                        patch::PatchType::kApply, Doc("{'data':{" + data + "}"),
                                        {.field_manager = "me"})),
            kTooLarge);
}

TEST(ObjectSize, IsLimitedInStatusUpdatesAndBindings) {
  ApiFixture fixture;
  fixture.Make("pods", "{'metadata':{'name':'a'},'spec':{'containers':[{'name':'c','image':'" +
                           std::string(kNearly - 1000, 'i') + "'}]}}");
  EXPECT_EQ(OutcomeOf(fixture.Merge(
                "pods", "a", "{'status':{'message':'" + std::string(5000, 'x') + "'}}", "status")),
            kTooLarge);
  const auto changed =
      fixture.api.Modify(api::scheme::KindOf("pods"), {"default", "a"}, [](api::Json& pod) {
        api::SetString(pod.get_object(), "x", std::string(5000, 'x'));
        return true;
      });
  EXPECT_EQ(OutcomeOf(changed), kTooLarge);
  EXPECT_EQ(OutcomeOf(fixture.Bind("a", std::string(5000, 'n'))), kTooLarge);
  EXPECT_EQ(OutcomeOf(fixture.Bind("a", "n")), "ok");
}

// Databases of earlier versions have larger objects.
TEST(ObjectSize, LargerObjectsMayShrinkAndBeDeleted) {
  ApiFixture fixture;
  const api::scheme::Kind& kind = api::scheme::KindOf("configmaps");
  api::Json document = Doc("{'metadata':{'name':'m','namespace':'default','finalizers':['x/y']}}");
  api::SetString(document.get_object(), "x", std::string(2 * kMaxObjectBytes, 'x'));
  auto draft = store::MakeDraft(kind, document.get_object());
  ASSERT_TRUE(draft);
  ASSERT_TRUE(fixture.store->Create(kind.collection, *std::move(draft)));

  EXPECT_EQ(OutcomeOf(fixture.Merge("configmaps", "m", "{'data':{'b':'y'}}")), kTooLarge);
  const std::string smaller(2 * kMaxObjectBytes - 1000, 'x');
  EXPECT_EQ(OutcomeOf(fixture.Merge("configmaps", "m", "{'x':'" + smaller + "'}")), "ok");
  EXPECT_EQ(OutcomeOf(fixture.Delete("configmaps", "m")), "ok");
  EXPECT_EQ(OutcomeOf(fixture.Merge("configmaps", "m", "{'metadata':{'finalizers':null}}")), "ok");
  EXPECT_TRUE(fixture.Get("configmaps", "m").is_null());
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::registry
