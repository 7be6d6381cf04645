// Scenarios in which several managers apply and update the same object.
#include "apiserver/patch/server_side_apply.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <string>

#include "api/scheme/scheme.h"

namespace berth::apiserver::patch {
namespace BERTH_TEST_FILE {

using boost::json::parse;
using boost::json::serialize;
using testing::HasSubstr;

constexpr Instant kNoon = Instant::FromUnixSeconds(1'777'636'800);  // 2026-05-01T12:00:00Z
constexpr Instant kOne = Instant::FromUnixSeconds(1'777'640'400);

api::scheme::Kind MakeKind(std::string_view group, std::string_view name) {
  api::scheme::Kind kind;
  kind.group = group;
  kind.version = "v1";
  kind.kind = name;
  kind.has_status = true;
  return kind;
}

const api::scheme::Kind kDeployment = MakeKind("apps", "Deployment");
const api::scheme::Kind kPod = MakeKind("", "Pod");

api::Json Without(api::Json object, std::string_view field) {
  object.as_object().at("metadata").as_object().stable_erase(field);
  return object;
}

// An object that managers apply and update.
class Scenario {
 public:
  explicit Scenario(const api::scheme::Kind& kind, const char* live = "null")
      : kind_(kind), live_(parse(live)) {}

  void Apply(const char* manager, const char* config, bool force = false, Instant now = kNoon) {
    auto got = ServerSideApply(kind_, live_, parse(config), {manager, force, now, ""});
    ASSERT_TRUE(got.has_value()) << got.error().message;
    live_ = *std::move(got);
  }

  api::scheme::ApiError ApplyFails(const char* manager, const char* config) const {
    const auto got = ServerSideApply(kind_, live_, parse(config), {manager, false, kNoon, ""});
    EXPECT_FALSE(got.has_value()) << serialize(*got);
    return got ? api::scheme::ApiError() : got.error();
  }

  // Executes an ordinary write.
  void Update(const char* manager, const char* after, std::string_view subresource = "",
              Instant now = kNoon) {
    live_ = TrackUpdate(kind_, live_, parse(after), manager, subresource, now);
  }

  const api::Json& live() const { return live_; }
  api::Json Content() const { return Without(live_, "managedFields"); }
  const api::JsonArray& Managed() const {
    return live_.at("metadata").at("managedFields").as_array();
  }
  // Returns the fields of the manager's entry; null if it has none.
  api::Json FieldsOf(std::string_view manager, std::string_view operation) const {
    for (const api::Json& entry : Managed()) {
      if (entry.at("manager") == api::Json(manager) &&
          entry.at("operation") == api::Json(operation)) {
        return entry.at("fieldsV1");
      }
    }
    return nullptr;
  }

 private:
  const api::scheme::Kind& kind_;
  api::Json live_;
};

TEST(ServerSideApply, CreatesWithOwnership) {
  Scenario scenario(kDeployment);
  scenario.Apply("kubectl", R"({"apiVersion":"apps/v1","kind":"Deployment",
      "metadata":{"name":"web","namespace":"default","labels":{"app":"web"},
                  "creationTimestamp":null},
      "spec":{"replicas":3,"template":{"spec":{"containers":[{"name":"a","image":"x"}]}}}})");
  EXPECT_EQ(scenario.live(), parse(R"j({"apiVersion":"apps/v1","kind":"Deployment",
      "metadata":{"name":"web","namespace":"default","labels":{"app":"web"},"managedFields":[
        {"manager":"kubectl","operation":"Apply","apiVersion":"apps/v1",
         "time":"2026-05-01T12:00:00Z","fieldsType":"FieldsV1","fieldsV1":{
           "f:metadata":{"f:labels":{"f:app":{}}},
           "f:spec":{"f:replicas":{},"f:template":{"f:spec":{"f:containers":{
             "k:{\"name\":\"a\"}":{".":{},"f:name":{},"f:image":{}}}}}}}}]},
      "spec":{"replicas":3,"template":{"spec":{"containers":[{"name":"a","image":"x"}]}}}})j"))
      << serialize(scenario.live());
}

TEST(ServerSideApply, TheSameAgainChangesNothing) {
  Scenario scenario(kDeployment);
  const char* config = R"({"metadata":{"name":"web","finalizers":["b","a"]},"spec":{"replicas":3,
      "template":{"spec":{"containers":[{"name":"a"},{"name":"b","ports":[{"containerPort":80}]}]}}}})";
  scenario.Apply("kubectl", config);
  const api::Json before = scenario.live();
  scenario.Apply("kubectl", config, false, kOne);
  EXPECT_EQ(scenario.live(), before) << serialize(scenario.live());
}

TEST(ServerSideApply, TimeChangesWithAValue) {
  Scenario scenario(kDeployment);
  scenario.Apply("kubectl", R"({"metadata":{"name":"web"},"spec":{"replicas":3}})");
  scenario.Apply("kubectl", R"({"metadata":{"name":"web"},"spec":{"replicas":4}})", false, kOne);
  EXPECT_EQ(scenario.Managed()[0].at("time"), api::Json("2026-05-01T13:00:00Z"));
}

TEST(ServerSideApply, DefaultedValuesStayAndHaveNoOwner) {
  Scenario scenario(kDeployment,
                    R"({"metadata":{"name":"web","managedFields":[{"manager":"kubectl",
                  "operation":"Apply","apiVersion":"apps/v1","time":"2026-05-01T11:00:00Z",
                  "fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:replicas":{}}}}]},
                  "spec":{"replicas":3,"revisionHistoryLimit":10}})");
  const api::Json before = scenario.live();
  scenario.Apply("kubectl", R"({"metadata":{"name":"web"},"spec":{"replicas":3}})");
  EXPECT_EQ(scenario.live(), before);
}

TEST(ServerSideApply, RemovesWhatIsNoLongerApplied) {
  Scenario scenario(kDeployment);
  scenario.Apply("kubectl", R"({"metadata":{"name":"web","labels":{"a":"1","b":"2"}},
                             "spec":{"replicas":3,"paused":true}})");
  scenario.Apply("kubectl",
                 R"({"metadata":{"name":"web","labels":{"a":"1"}},"spec":{"replicas":3}})");
  EXPECT_EQ(scenario.Content(),
            parse(R"({"metadata":{"name":"web","labels":{"a":"1"}},"spec":{"replicas":3}})"));
  scenario.Apply("kubectl", R"({"metadata":{"name":"web"},"spec":{"replicas":3}})");
  EXPECT_EQ(scenario.Content(), parse(R"({"metadata":{"name":"web"},"spec":{"replicas":3}})"));
}

TEST(ServerSideApply, RetainsFieldsThatOthersOwn) {
  Scenario scenario(kDeployment);
  scenario.Apply("one", R"({"metadata":{"name":"web"},"spec":{"replicas":3,"paused":true}})");
  scenario.Apply("two", R"({"metadata":{"name":"web"},"spec":{"replicas":3}})");
  scenario.Apply("one", R"({"metadata":{"name":"web"},"spec":{"paused":true}})");
  EXPECT_EQ(scenario.Content(),
            parse(R"({"metadata":{"name":"web"},"spec":{"replicas":3,"paused":true}})"));
  // Now only the second manager owns it and can change it.
  scenario.Apply("two", R"({"metadata":{"name":"web"},"spec":{"replicas":5}})");
  EXPECT_EQ(scenario.Content(),
            parse(R"({"metadata":{"name":"web"},"spec":{"replicas":5,"paused":true}})"));
}

TEST(ServerSideApply, ConflictNamesManagerAndField) {
  Scenario scenario(kDeployment);
  scenario.Apply("one", R"({"metadata":{"name":"web"},"spec":{"paused":true}})");
  scenario.Update("kubectl-edit",
                  R"({"metadata":{"name":"web"},"spec":{"paused":true,"replicas":5}})");
  const api::scheme::ApiError error =
      scenario.ApplyFails("one", R"({"metadata":{"name":"web"},"spec":{"replicas":3}})");
  EXPECT_EQ(error.code, 409);
  EXPECT_EQ(error.reason, "Conflict");
  EXPECT_EQ(error.message,
            "Apply failed with 1 conflict: conflict with \"kubectl-edit\" using apps/v1: "
            ".spec.replicas");
  ASSERT_EQ(error.causes.size(), 1u);
  EXPECT_EQ(error.causes[0].reason, "FieldManagerConflict");
  EXPECT_EQ(error.causes[0].message, "conflict with \"kubectl-edit\" using apps/v1");
  EXPECT_EQ(error.causes[0].field, ".spec.replicas");
}

TEST(ServerSideApply, SeveralConflictsAreListedByManager) {
  Scenario scenario(kDeployment);
  scenario.Apply("b", R"({"metadata":{"name":"web","labels":{"x":"1","y":"1"}}})");
  scenario.Apply("a", R"({"metadata":{"name":"web"},"spec":{"template":{"spec":{
      "containers":[{"name":"c","image":"1"}]}}}})");
  const api::scheme::ApiError error = scenario.ApplyFails(
      "me", R"({"metadata":{"name":"web","labels":{"x":"2","y":"2"}},"spec":{"template":{"spec":{
             "containers":[{"name":"c","image":"2"}]}}}})");
  EXPECT_EQ(error.message,
            "Apply failed with 3 conflicts: conflicts with \"a\":\n"
            "- .spec.template.spec.containers[name=\"c\"].image\n"
            "conflicts with \"b\":\n- .metadata.labels.x\n- .metadata.labels.y");
  EXPECT_EQ(error.causes.size(), 3u);
}

TEST(ServerSideApply, ForceTakesOwnership) {
  Scenario scenario(kDeployment);
  scenario.Apply("one", R"({"metadata":{"name":"web"},"spec":{"replicas":3,"paused":true}})");
  scenario.Apply("two", R"({"metadata":{"name":"web"},"spec":{"replicas":5}})", true);
  EXPECT_EQ(scenario.Content(),
            parse(R"({"metadata":{"name":"web"},"spec":{"replicas":5,"paused":true}})"));
  EXPECT_EQ(scenario.FieldsOf("one", "Apply"), parse(R"({"f:spec":{"f:paused":{}}})"));
  EXPECT_EQ(scenario.FieldsOf("two", "Apply"), parse(R"({"f:spec":{"f:replicas":{}}})"));
  scenario.Apply("two", R"({"metadata":{"name":"web"},"spec":{"replicas":3,"paused":false}})",
                 true);
  EXPECT_EQ(scenario.FieldsOf("one", "Apply"), api::Json());
}

TEST(ServerSideApply, ListsMergeByKey) {
  Scenario scenario(kPod);
  scenario.Apply("one", R"({"metadata":{"name":"p"},"spec":{"containers":[
      {"name":"a","image":"1","ports":[{"containerPort":80,"name":"web"}]}]}})");
  scenario.Apply("two", R"({"metadata":{"name":"p"},"spec":{"containers":[
      {"name":"sidecar","image":"2"},
      {"name":"a","ports":[{"containerPort":80,"protocol":"UDP"}]}]}})");
  EXPECT_EQ(scenario.Content(), parse(R"({"metadata":{"name":"p"},"spec":{"containers":[
      {"name":"sidecar","image":"2"},
      {"name":"a","image":"1","ports":[{"containerPort":80,"name":"web"},
        {"containerPort":80,"protocol":"UDP"}]}]}})"))
      << serialize(scenario.live());
  // The sidecar is removed with its defaulted values; the shared container stays.
  api::Json with_defaults = scenario.live();
  with_defaults.at("spec").at("containers").as_array()[0].as_object()["tty"] = false;
  Scenario later(kPod, serialize(with_defaults).c_str());
  later.Apply("two", R"({"metadata":{"name":"p"}})");
  EXPECT_EQ(later.Content(), parse(R"({"metadata":{"name":"p"},"spec":{"containers":[
      {"name":"a","image":"1","ports":[{"containerPort":80,"name":"web"}]}]}})"))
      << serialize(later.live());
}

TEST(ServerSideApply, OtherElementsRetainTheirPosition) {
  Scenario scenario(kPod);
  scenario.Apply("one",
                 R"({"metadata":{"name":"p"},"spec":{"volumes":[{"name":"a"},{"name":"b"}]}})");
  scenario.Apply("two", R"({"metadata":{"name":"p"},"spec":{"volumes":[{"name":"c"}]}})");
  EXPECT_EQ(scenario.live().at("spec"),
            parse(R"({"volumes":[{"name":"a"},{"name":"b"},{"name":"c"}]})"));
  scenario.Apply("one",
                 R"({"metadata":{"name":"p"},"spec":{"volumes":[{"name":"b"},{"name":"a"}]}})");
  EXPECT_EQ(scenario.live().at("spec"),
            parse(R"({"volumes":[{"name":"b"},{"name":"a"},{"name":"c"}]})"));
}

TEST(ServerSideApply, SetsHaveOwnersByValue) {
  Scenario scenario(kPod);
  scenario.Apply("one", R"({"metadata":{"name":"p","finalizers":["a","b"]}})");
  scenario.Apply("two", R"({"metadata":{"name":"p","finalizers":["b","c"]}})");
  EXPECT_EQ(scenario.Content(), parse(R"({"metadata":{"name":"p","finalizers":["a","b","c"]}})"));
  scenario.Apply("one", R"({"metadata":{"name":"p"}})");
  EXPECT_EQ(scenario.Content(), parse(R"({"metadata":{"name":"p","finalizers":["b","c"]}})"));
}

TEST(ServerSideApply, AtomicListsHaveOneOwner) {
  Scenario scenario(kPod);
  scenario.Apply("one", R"({"metadata":{"name":"p"},"spec":{"tolerations":[{"key":"a"}]}})");
  const api::scheme::ApiError error = scenario.ApplyFails(
      "two", R"({"metadata":{"name":"p"},"spec":{"tolerations":[{"key":"b"}]}})");
  EXPECT_THAT(error.message, HasSubstr("conflict with \"one\": .spec.tolerations"));
  scenario.Apply("two", R"({"metadata":{"name":"p"},"spec":{"tolerations":[{"key":"b"}]}})", true);
  EXPECT_EQ(scenario.live().at("spec"), parse(R"({"tolerations":[{"key":"b"}]})"));
}

TEST(ServerSideApply, ExistingFieldsBelongToBeforeFirstApply) {
  const char* live = R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web",
      "uid":"u","resourceVersion":"5","creationTimestamp":"2026-05-01T10:00:00Z",
      "labels":{"app":"web"}},"spec":{"replicas":3,"paused":true},"status":{"replicas":3}})";
  Scenario scenario(kDeployment, live);
  const api::scheme::ApiError error =
      scenario.ApplyFails("me", R"({"metadata":{"name":"web"},"spec":{"replicas":4}})");
  EXPECT_EQ(error.message,
            "Apply failed with 1 conflict: conflict with \"before-first-apply\" using apps/v1: "
            ".spec.replicas");
  scenario.Apply("me", R"({"metadata":{"name":"web"},"spec":{"replicas":3}})");
  EXPECT_EQ(scenario.Content(), parse(live));
  EXPECT_EQ(scenario.FieldsOf("before-first-apply", "Update"),
            parse(R"({"f:metadata":{"f:labels":{"f:app":{}}},
                      "f:spec":{"f:replicas":{},"f:paused":{}}})"));
  // It still owns the field: removing it from the configuration does not remove it.
  scenario.Apply("me", R"({"metadata":{"name":"web"}})");
  EXPECT_EQ(scenario.Content(), parse(live));
}

TEST(ServerSideApply, KubectlTakesOverClientSideAppliedFields) {
  const char* live = R"j({"metadata":{"name":"web","annotations":{
      "kubectl.kubernetes.io/last-applied-configuration":
        "{\"metadata\":{\"name\":\"web\"},\"spec\":{\"replicas\":3,\"paused\":false}}"}},
      "spec":{"replicas":3,"paused":true}})j";
  Scenario scenario(kDeployment, live);
  EXPECT_THAT(scenario.ApplyFails("other", R"({"spec":{"replicas":4}})").message,
              HasSubstr(".spec.replicas"));
  // Another manager has changed this field since.
  EXPECT_THAT(scenario.ApplyFails("kubectl", R"({"spec":{"replicas":4,"paused":false}})").message,
              HasSubstr("1 conflict: conflict with \"before-first-apply\" using apps/v1: "
                        ".spec.paused"));
  scenario.Apply("kubectl", R"({"spec":{"replicas":4}})");
  EXPECT_EQ(scenario.live().at("spec"), parse(R"({"replicas":4,"paused":true})"));
}

TEST(ServerSideApply, StatusCountsOnlyThroughItsSubresource) {
  Scenario scenario(kDeployment,
                    R"({"metadata":{"name":"web"},"spec":{},"status":{"replicas":1}})");
  scenario.Apply("me", R"({"metadata":{"name":"web"},"status":{"replicas":7}})");
  EXPECT_EQ(scenario.live().at("status"), parse(R"({"replicas":1})"));

  const auto got = ServerSideApply(
      kDeployment, scenario.live(),
      parse(R"({"metadata":{"name":"web"},"spec":{"replicas":9},"status":{"replicas":7}})"),
      {"me", true, kNoon, "status"});
  ASSERT_TRUE(got.has_value()) << got.error().message;
  EXPECT_EQ(got->at("status"), parse(R"({"replicas":7})"));
  EXPECT_EQ(got->at("spec"), parse("{}"));
  EXPECT_THAT(serialize(*got), HasSubstr(R"("subresource":"status")"));
}

TEST(ServerSideApply, RejectsInvalidConfigurations) {
  const Scenario scenario(kPod);
  EXPECT_EQ(scenario.ApplyFails("", "{}").code, 422);
  EXPECT_THAT(scenario.ApplyFails("", "{}").message, HasSubstr("fieldManager"));
  EXPECT_EQ(scenario.ApplyFails("me", "[]").code, 400);
  EXPECT_THAT(scenario.ApplyFails("me", R"({"apiVersion":"apps/v1"})").message,
              HasSubstr("Incorrect version"));
  EXPECT_THAT(scenario.ApplyFails("me", R"({"metadata":{"managedFields":[]}})").message,
              HasSubstr("metadata.managedFields must be nil"));
  EXPECT_THAT(scenario.ApplyFails("me", R"({"spec":{"containers":[{"image":"x"}]}})").message,
              HasSubstr("containers lacks its key \"name\""));
  EXPECT_THAT(
      scenario.ApplyFails("me", R"({"spec":{"containers":[{"name":"x"},{"name":"x"}]}})").message,
      HasSubstr(R"(containers has two elements with the same keys: {"name":"x"})"));
}

TEST(TrackUpdate, DoesNothingBeforeTheFirstApply) {
  Scenario scenario(kPod, R"({"metadata":{"name":"p"}})");
  scenario.Update("kubectl-edit", R"({"metadata":{"name":"p","labels":{"a":"b"}}})");
  EXPECT_EQ(scenario.live(), parse(R"({"metadata":{"name":"p","labels":{"a":"b"}}})"));
}

TEST(TrackUpdate, TakesOwnershipOfChangedFields) {
  Scenario scenario(kDeployment);
  scenario.Apply("kubectl", R"({"metadata":{"name":"web"},"spec":{"replicas":3,"paused":true}})");
  scenario.Update("hpa", R"({"metadata":{"name":"web","resourceVersion":"9","generation":2},
                          "spec":{"replicas":7,"paused":true}})",
                  "scale", kOne);
  EXPECT_EQ(scenario.FieldsOf("kubectl", "Apply"), parse(R"({"f:spec":{"f:paused":{}}})"));
  EXPECT_EQ(scenario.Managed()[1],
            parse(R"({"manager":"hpa","operation":"Update","apiVersion":"apps/v1",
                      "time":"2026-05-01T13:00:00Z","fieldsType":"FieldsV1","subresource":"scale",
                      "fieldsV1":{"f:spec":{"f:replicas":{}}}})"));
  EXPECT_THAT(scenario.ApplyFails("kubectl", R"({"spec":{"replicas":3,"paused":true}})").message,
              HasSubstr(R"(conflict with "hpa" with subresource "scale" using apps/v1)"));
  // The field stays with its new owner when the configuration omits it.
  scenario.Apply("kubectl", R"({"metadata":{"name":"web"},"spec":{"paused":true}})");
  EXPECT_EQ(scenario.live().at("spec"), parse(R"({"replicas":7,"paused":true})"));
}

TEST(TrackUpdate, RemovedFieldsHaveNoOwner) {
  Scenario scenario(kDeployment);
  scenario.Apply("kubectl", R"({"metadata":{"name":"web"},"spec":{"replicas":3,"paused":true}})");
  scenario.Update("editor", R"({"metadata":{"name":"web"},"spec":{"paused":true}})");
  EXPECT_EQ(scenario.FieldsOf("kubectl", "Apply"), parse(R"({"f:spec":{"f:paused":{}}})"));
  EXPECT_EQ(scenario.FieldsOf("editor", "Update"), api::Json());
  scenario.Apply("kubectl", R"({"metadata":{"name":"web"},"spec":{"replicas":3,"paused":true}})");
  EXPECT_EQ(scenario.live().at("spec"), parse(R"({"replicas":3,"paused":true})"));
}

TEST(TrackUpdate, OneManagerHasOneEntry) {
  Scenario scenario(kDeployment);
  scenario.Apply("kubectl", R"({"metadata":{"name":"web"},"spec":{"paused":true}})");
  scenario.Update("e", R"({"metadata":{"name":"web"},"spec":{"paused":true,"replicas":1}})");
  scenario.Update("e", R"({"metadata":{"name":"web","labels":{"a":"b"}},
                        "spec":{"paused":true,"replicas":1}})",
                  "", kOne);
  EXPECT_EQ(scenario.Managed().size(), 2u);
  EXPECT_EQ(scenario.FieldsOf("e", "Update"),
            parse(R"({"f:metadata":{"f:labels":{"f:a":{}}},"f:spec":{"f:replicas":{}}})"));
  EXPECT_EQ(scenario.Managed()[1].at("time"), api::Json("2026-05-01T13:00:00Z"));
  // A write without changes does not update the time.
  const api::Json before = scenario.live();
  scenario.Update("e", serialize(before).c_str(), "", kNoon);
  EXPECT_EQ(scenario.live(), before);
}

TEST(TrackUpdate, ClientsMayRewriteManagedFields) {
  Scenario scenario(kDeployment);
  scenario.Apply("kubectl", R"({"metadata":{"name":"web"},"spec":{"paused":true}})");
  scenario.Update("csa", R"({"metadata":{"name":"web","managedFields":[{"manager":"renamed",
      "operation":"Apply","apiVersion":"apps/v1","fieldsType":"FieldsV1",
      "fieldsV1":{"f:spec":{"f:paused":{}}}}]},"spec":{"paused":true}})");
  EXPECT_EQ(scenario.FieldsOf("renamed", "Apply"), parse(R"({"f:spec":{"f:paused":{}}})"));
  EXPECT_EQ(scenario.FieldsOf("kubectl", "Apply"), api::Json());
  scenario.Update("csa", R"({"metadata":{"name":"web","managedFields":[{}]},"spec":{}})");
  EXPECT_EQ(scenario.live(), parse(R"({"metadata":{"name":"web"},"spec":{}})"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::patch
