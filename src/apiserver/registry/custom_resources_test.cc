// Definitions and their resources through the Api.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "apiserver/registry/custom_resources_testing.h"

namespace berth::apiserver::registry {
namespace BERTH_TEST_FILE {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class CustomResourcesTest : public testing::Test, protected CrdFixture {};

TEST_F(CustomResourcesTest, ADefinitionIsEstablishedAtOnce) {
  EXPECT_EQ(CronTabs(), nullptr);
  Define();
  EXPECT_HOLDS(
      Get(kDefinitions, "crontabs.example.com"),
      "{'status':{'acceptedNames':{'plural':'crontabs','singular':'crontab','kind':'CronTab',"
      "'listKind':'CronTabList','shortNames':['ct'],'categories':['all']},"
      "'storedVersions':['v1'],'conditions':["
      "{'type':'NamesAccepted','status':'True','reason':'NoConflicts',"
      "'message':'no conflicts found','lastTransitionTime':'2026-01-01T00:00:00Z'},"
      "{'type':'Established','status':'True','reason':'InitialNamesAccepted',"
      "'message':'the initial names have been accepted',"
      "'lastTransitionTime':'2026-01-01T00:00:00Z'}]}}");
  ASSERT_NE(CronTabs(), nullptr);
  EXPECT_NE(CronTabs("v1beta1"), nullptr);
  EXPECT_EQ(CronTabs("v2"), nullptr);
}

TEST_F(CustomResourcesTest, AnInvalidDefinitionIsNotStored) {
  std::string broken(kCronTabs);
  broken.replace(broken.find("'storage':true"), 14, "'storage':false");
  EXPECT_THAT(ErrorOf(Create(kDefinitions, broken)),
              HasSubstr("422 Invalid: CustomResourceDefinition.apiextensions.k8s.io "
                        "\"crontabs.example.com\" is invalid: spec.versions: Invalid value: "));
  EXPECT_EQ(CronTabs(), nullptr);
}

TEST_F(CustomResourcesTest, ObjectsAreDefaultedPrunedAndValidated) {
  Define();
  ASSERT_EQ(ErrorOf(CreateTab("{'metadata':{'name':'a'},'spec':{'cron':'* *','junk':1},'more':2}")),
            "ok");
  const api::Json tab = Tab("a");
  EXPECT_HOLDS(tab,
               "{'kind':'CronTab','apiVersion':'example.com/v1','more':null,"
               "'metadata':{'name':'a','namespace':'default','generation':1},"
               "'spec':{'cron':'* *','replicas':1,'junk':null}}");
  EXPECT_EQ(
      CausesOf(CreateTab("{'metadata':{'name':'b'},'spec':{'cron':'x','replicas':11}}")),
      "spec.cron: Invalid value: \"x\": spec.cron in body should match '^[*0-9 ]+$'\n"
      "spec.replicas: Invalid value: 11: spec.replicas in body should be less than or equal to "
      "10");
  EXPECT_EQ(CausesOf(CreateTab("{'metadata':{'name':'b'}}")), "spec: Required value");
  EXPECT_EQ(CausesOf(CreateTab("{'metadata':{'name':'b'},'spec':{'cron':'*',"
                               "'ports':[{'name':'p'},{'name':'p'}]}}")),
            "spec.ports[1]: Duplicate value: {\"name\":\"p\"}");
  EXPECT_THAT(ErrorOf(CreateTab("{'kind':'Other','metadata':{'name':'b'}}")),
              HasSubstr("400 BadRequest"));
}

TEST_F(CustomResourcesTest, WritesInAnyVersionGetTheDefaultsOfTheStoredOne) {
  Define();
  ASSERT_EQ(ErrorOf(CreateTab("{'metadata':{'name':'a'},'spec':{'cron':'*'}}", "v1beta1")), "ok");
  EXPECT_HOLDS(Tab("a"), "{'apiVersion':'example.com/v1','spec':{'cron':'*','replicas':1}}");
  ASSERT_EQ(ErrorOf(api.Patch(*CronTabs("v1beta1"), At("a"), "", patch::PatchType::kMerge,
                              Doc("{'spec':{'cron':'5','replicas':null}}"), {})),
            "ok");
  EXPECT_HOLDS(Tab("a"), "{'spec':{'cron':'5','replicas':1}}");
  EXPECT_HOLDS(Tab("a", "v1beta1"), "{'spec':{'cron':'5','replicas':1}}");
}

TEST_F(CustomResourcesTest, TheirNamesAreSubdomains) {
  // The resource and the kind resemble built-in ones that may have other names.
  Define(
      "{'metadata':{'name':'apiservices.example.com'},'spec':{'group':'example.com',"
      "'scope':'Cluster','names':{'plural':'apiservices','kind':'LeaseCandidate'},'versions':["
      "{'name':'v1','served':true,'storage':true,'schema':{'openAPIV3Schema':{"
      "'type':'object'}}}]}}");
  const auto kind = api.kinds()->Find("example.com", "v1", "apiservices");
  ASSERT_NE(kind, nullptr);
  EXPECT_THAT(CausesOf(api.Create(*kind, "", Doc("{'metadata':{'name':'A_b'}}"))),
              HasSubstr("metadata.name: Invalid value: \"A_b\": a lowercase RFC 1123 subdomain"));
  EXPECT_EQ(ErrorOf(api.Create(*kind, "", Doc("{'metadata':{'name':'a.b'}}"))), "ok");
}

TEST_F(CustomResourcesTest, UnknownFieldsAreReportedIfTheClientAsksForIt) {
  Define();
  WriteOptions options{.field_validation = FieldValidation::kStrict};
  EXPECT_EQ(
      ErrorOf(CreateTab("{'metadata':{'name':'a'},'spec':{'cron':'*','crn':1}}", "v1", options)),
      "400 BadRequest: CronTab in version \"v1\" cannot be handled as a CronTab: strict "
      "decoding error: unknown field \"spec.crn\"");
  std::vector<std::string> warnings;
  options = {.field_validation = FieldValidation::kWarn, .warnings = &warnings};
  EXPECT_EQ(
      ErrorOf(CreateTab("{'metadata':{'name':'a'},'spec':{'cron':'*','crn':1}}", "v1", options)),
      "ok");
  EXPECT_THAT(warnings, ElementsAre("unknown field \"spec.crn\""));
}

TEST_F(CustomResourcesTest, TheStatusIsWrittenOnlyThroughItsSubresource) {
  Define();
  ASSERT_EQ(
      ErrorOf(CreateTab("{'metadata':{'name':'a'},'spec':{'cron':'*'},'status':{'replicas':1}}")),
      "ok");
  EXPECT_HOLDS(Tab("a"), "{'status':null}");
  ASSERT_EQ(ErrorOf(PatchTab("a", "{'spec':{'cron':'9'},'status':{'replicas':3}}", "status")),
            "ok");
  EXPECT_HOLDS(Tab("a"),
               "{'spec':{'cron':'*'},'status':{'replicas':3},'metadata':{'generation':1}}");
  ASSERT_EQ(ErrorOf(PatchTab("a", "{'spec':{'cron':'5'},'status':{'replicas':4}}")), "ok");
  EXPECT_HOLDS(Tab("a"),
               "{'spec':{'cron':'5'},'status':{'replicas':3},'metadata':{'generation':2}}");
  ASSERT_EQ(ErrorOf(PatchTab("a", "{'metadata':{'labels':{'a':'b'}}}")), "ok");
  EXPECT_HOLDS(Tab("a"), "{'metadata':{'generation':2,'labels':{'a':'b'}}}");
  EXPECT_EQ(CausesOf(PatchTab("a", "{'status':{'phase':'x'}}", "status")),
            "status.phase: Unsupported value: \"x\": supported values: \"Ready\"");
}

TEST_F(CustomResourcesTest, UpdatesNeedAVersionAndPatchesOfEachTypeWork) {
  Define();
  ASSERT_EQ(ErrorOf(CreateTab("{'metadata':{'name':'a'},'spec':{'cron':'*'}}")), "ok");
  EXPECT_EQ(ErrorOf(api.Update(*CronTabs(), At("a"), "",
                               Doc("{'metadata':{'name':'a'},'spec':{'cron':'1'}}"))),
            "422 Invalid: CronTab.example.com \"a\" is invalid: metadata.resourceVersion: Invalid "
            "value: \"\": must be specified for an update");
  api::Json tab = Tab("a");
  tab.at("spec").as_object()["cron"] = "1";
  EXPECT_EQ(ErrorOf(api.Update(*CronTabs(), At("a"), "", tab)), "ok");
  EXPECT_THAT(ErrorOf(api.Update(*CronTabs(), At("a"), "", tab)), HasSubstr("409 Conflict"));
  EXPECT_EQ(ErrorOf(PatchTab("a", "[{'op':'replace','path':'/spec/cron','value':'2'}]", "",
                             patch::PatchType::kJson)),
            "ok");
  EXPECT_HOLDS(Tab("a"), "{'spec':{'cron':'2'}}");
}

TEST_F(CustomResourcesTest, ServerSideApplyMergesListsByTheSchema) {
  Define();
  const auto apply = [&](std::string_view manager, std::string_view config) {
    return PatchTab("a", config, "", patch::PatchType::kApply,
                    {.field_manager = std::string(manager)});
  };
  constexpr std::string_view kHead = "{'apiVersion':'example.com/v1','kind':'CronTab',";
  EXPECT_EQ(ErrorOf(apply("one", std::string(kHead) + "'spec':{'cron':'*','ports':[{'name':'p',"
                                                      "'port':1}]}}")),
            "ok");
  EXPECT_EQ(ErrorOf(apply("two", std::string(kHead) + "'spec':{'ports':[{'name':'q','port':2}]}}")),
            "ok");
  EXPECT_HOLDS(Tab("a"),
               "{'spec':{'cron':'*','ports':[{'name':'p','port':1},"
               "{'name':'q','port':2}]}}");
  EXPECT_THAT(ErrorOf(apply("two", std::string(kHead) +
                                       "'spec':{'ports':[{'name':'q','port':2},{'name':'p',"
                                       "'port':9}]}}")),
              HasSubstr(".spec.ports[name=\"p\"].port"));
  EXPECT_EQ(ErrorOf(apply("one", std::string(kHead) + "'spec':{'cron':'*'}}")), "ok");
  EXPECT_HOLDS(Tab("a"), "{'spec':{'ports':[{'name':'q','port':2}]}}");
}

TEST_F(CustomResourcesTest, VersionsDifferOnlyInTheirSchema) {
  Define();
  ASSERT_EQ(ErrorOf(CreateTab("{'metadata':{'name':'a'},'spec':{'cron':'any text'}}", "v1beta1")),
            "ok");
  EXPECT_HOLDS(Tab("a", "v1beta1"),
               "{'apiVersion':'example.com/v1beta1','spec':{'cron':'any text'}}");
  EXPECT_HOLDS(Tab("a", "v1"), "{'apiVersion':'example.com/v1','spec':{'cron':'any text'}}");
  // Fields that only one version has do not get into the others.
  ASSERT_EQ(
      ErrorOf(CreateTab("{'metadata':{'name':'b'},'spec':{'cron':'*','ports':[{'name':'p'}]}}")),
      "ok");
  EXPECT_HOLDS(Tab("b", "v1beta1"), "{'spec':{'cron':'*','replicas':1,'ports':null}}");
  // A patch through one version leaves the fields of the stored one as they are, except those that
  // its own version lacks.
  EXPECT_EQ(ErrorOf(api.Patch(*CronTabs("v1beta1"), At("a"), "", patch::PatchType::kMerge,
                              Doc("{'spec':{'replicas':5}}"))),
            "ok");
  EXPECT_HOLDS(Tab("a", "v1"), "{'spec':{'replicas':5}}");
}

TEST_F(CustomResourcesTest, TheScaleIsWhereTheDefinitionSays) {
  Define();
  ASSERT_EQ(ErrorOf(CreateTab("{'metadata':{'name':'a'},'spec':{'cron':'*','replicas':3}}")), "ok");
  ASSERT_EQ(ErrorOf(PatchTab("a", "{'status':{'replicas':2,'selector':'app=x'}}", "status")), "ok");
  const auto scale = api.GetScale(*CronTabs(), At("a"));
  ASSERT_EQ(ErrorOf(scale), "ok");
  EXPECT_HOLDS(*scale,
               "{'kind':'Scale','apiVersion':'autoscaling/v1','metadata':{'name':'a'},"
               "'spec':{'replicas':3},'status':{'replicas':2,'selector':'app=x'}}");
  EXPECT_EQ(ErrorOf(api.PutScale(*CronTabs(), At("a"), Doc("{'spec':{'replicas':7}}"))), "ok");
  EXPECT_HOLDS(Tab("a"), "{'spec':{'cron':'*','replicas':7},'metadata':{'generation':2}}");
  EXPECT_THAT(ErrorOf(api.PutScale(*CronTabs(), At("a"), Doc("{'spec':{'replicas':70}}"))),
              HasSubstr("spec.replicas in body should be less than or equal to 10"));
}

TEST_F(CustomResourcesTest, AChangedSchemaAppliesToOldObjectsWhenTheyAreRead) {
  Define();
  ASSERT_EQ(
      ErrorOf(CreateTab("{'metadata':{'name':'a'},'spec':{'cron':'*','ports':[{'name':'p'}]}}")),
      "ok");
  const store::Version before = store->Get(CronTabs()->collection, At("a"))->version;
  // `ports` goes, `zone` comes.
  EXPECT_EQ(
      ErrorOf(api.Patch(
          api::scheme::KindOf(kDefinitions), {"", "crontabs.example.com"}, "",
          patch::PatchType::kJson,
          Doc("[{'op':'remove','path':'/spec/versions/0/schema/openAPIV3Schema/properties/spec/"
              "properties/ports'},{'op':'add','path':'/spec/versions/0/schema/openAPIV3Schema/"
              "properties/spec/properties/zone','value':{'type':'string','default':'eu'}}]"))),
      "ok");
  EXPECT_HOLDS(Tab("a"), "{'spec':{'cron':'*','ports':null,'zone':'eu'}}");
  EXPECT_EQ(store->Get(CronTabs()->collection, At("a"))->version, before);
}

TEST_F(CustomResourcesTest, AStricterSchemaDoesNotPreventOtherChanges) {
  Define();
  ASSERT_EQ(ErrorOf(CreateTab("{'metadata':{'name':'a'},'spec':{'cron':'*','replicas':9}}")), "ok");
  ASSERT_EQ(
      ErrorOf(api.Patch(api::scheme::KindOf(kDefinitions), {"", "crontabs.example.com"}, "",
                        patch::PatchType::kJson,
                        Doc("[{'op':'replace','path':'/spec/versions/0/schema/openAPIV3Schema/"
                            "properties/spec/properties/replicas/maximum','value':5}]"))),
      "ok");
  EXPECT_EQ(ErrorOf(PatchTab("a", "{'spec':{'cron':'5'}}")), "ok");
  EXPECT_EQ(
      CausesOf(PatchTab("a", "{'spec':{'replicas':8}}")),
      "spec.replicas: Invalid value: 8: spec.replicas in body should be less than or equal to "
      "5");
}

TEST_F(CustomResourcesTest, AStorageVersionMustStayUntilItIsMigrated) {
  Define();
  const auto patch = [&](std::string_view text) {
    return api.Patch(api::scheme::KindOf(kDefinitions), {"", "crontabs.example.com"}, "",
                     patch::PatchType::kJson, Doc(text));
  };
  ASSERT_EQ(ErrorOf(CreateTab("{'metadata':{'name':'a'},'spec':{'cron':'*'}}")), "ok");
  EXPECT_EQ(ErrorOf(patch("[{'op':'replace','path':'/spec/versions/0/storage','value':false},"
                          "{'op':'replace','path':'/spec/versions/1/storage','value':true}]")),
            "ok");
  EXPECT_HOLDS(Get(kDefinitions, "crontabs.example.com"),
               "{'status':{'storedVersions':['v1','v1beta1']}}");
  EXPECT_HOLDS(Tab("a"), "{'apiVersion':'example.com/v1','spec':{'cron':'*'}}");
  EXPECT_THAT(CausesOf(patch("[{'op':'remove','path':'/spec/versions/0'}]")),
              HasSubstr("status.storedVersions[0]: Invalid value: \"v1\": missing from "
                        "spec.versions"));
}

TEST_F(CustomResourcesTest, DeletingADefinitionDeletesItsObjectsFirst) {
  Define();
  ASSERT_EQ(ErrorOf(CreateTab("{'metadata':{'name':'a'},'spec':{'cron':'*'}}")), "ok");
  ASSERT_EQ(ErrorOf(CreateTab("{'metadata':{'name':'b','finalizers':['example.com/hold']},"
                              "'spec':{'cron':'*'}}")),
            "ok");
  const api::scheme::KindPtr kind = CronTabs();
  EXPECT_EQ(ErrorOf(Delete(kDefinitions, "crontabs.example.com")), "ok");
  EXPECT_EQ(store->Get(kind->collection, At("a")), nullptr);
  EXPECT_HOLDS(Tab("b"), "{'metadata':{'deletionTimestamp':'2026-01-01T00:00:00Z'}}");
  EXPECT_HOLDS(Get(kDefinitions, "crontabs.example.com"),
               "{'metadata':{'finalizers':['customresourcecleanup.apiextensions.k8s.io']}}");
  EXPECT_EQ(
      ErrorOf(CreateTab("{'metadata':{'name':'c'},'spec':{'cron':'*'}}")),
      "403 Forbidden: crontabs.example.com \"c\" is forbidden: create not allowed while custom "
      "resource definition is terminating");
  // The last object takes the definition with it.
  EXPECT_EQ(ErrorOf(PatchTab("b", "{'metadata':{'finalizers':null}}")), "ok");
  EXPECT_TRUE(Get(kDefinitions, "crontabs.example.com").is_null());
  EXPECT_EQ(CronTabs(), nullptr);
  // A request that still has the kind finds nothing.
  EXPECT_EQ(store->Count(kind->collection), 0u);
  EXPECT_THAT(
      ErrorOf(api.Create(*kind, "default", Doc("{'metadata':{'name':'d'},'spec':{'cron':'*'}}"))),
      HasSubstr("403 Forbidden"));
}

TEST_F(CustomResourcesTest, ADefinitionCanBeMadeAgain) {
  Define();
  ASSERT_EQ(ErrorOf(CreateTab("{'metadata':{'name':'a'},'spec':{'cron':'*'}}")), "ok");
  const store::Version version = store->version();
  EXPECT_EQ(ErrorOf(Delete(kDefinitions, "crontabs.example.com")), "ok");
  EXPECT_TRUE(Get(kDefinitions, "crontabs.example.com").is_null());
  Define();
  EXPECT_TRUE(Tab("a").is_null());
  // A watch from before cannot know what it has missed.
  std::vector<store::Event> events;
  EXPECT_FALSE(store->Watch(CronTabs()->collection, version, {})->Read(10, events));
  EXPECT_EQ(ErrorOf(CreateTab("{'metadata':{'name':'a'},'spec':{'cron':'*'}}")), "ok");
}

TEST_F(CustomResourcesTest, NamesBecomeFreeWithTheirDefinition) {
  Define();
  std::string other(kCronTabs);
  for (size_t at; (at = other.find("crontabs")) != other.npos;) other.replace(at, 8, "tabs");
  EXPECT_EQ(ErrorOf(Create(kDefinitions, other)), "ok");
  EXPECT_HOLDS(Get(kDefinitions, "tabs.example.com"),
               "{'status':{'conditions':[{'type':'NamesAccepted','status':'False',"
               "'reason':'ListKindConflict','message':'\\'CronTabList\\' is already in use'},"
               "{'type':'Established','status':'False','reason':'NotAccepted'}]}}");
  EXPECT_EQ(api.kinds()->Find("example.com", "v1", "tabs"), nullptr);
  EXPECT_EQ(ErrorOf(Delete(kDefinitions, "crontabs.example.com")), "ok");
  EXPECT_NE(api.kinds()->Find("example.com", "v1", "tabs"), nullptr);
}

TEST_F(CustomResourcesTest, ADefinitionThatWasNeverEstablishedGoesAtOnce) {
  Define();
  std::string other(kCronTabs);
  for (size_t at; (at = other.find("crontabs")) != other.npos;) other.replace(at, 8, "tabs");
  EXPECT_EQ(ErrorOf(Create(kDefinitions, other)), "ok");
  EXPECT_EQ(ErrorOf(Delete(kDefinitions, "tabs.example.com")), "ok");
  EXPECT_TRUE(Get(kDefinitions, "tabs.example.com").is_null());
  EXPECT_NE(CronTabs(), nullptr);
}

TEST_F(CustomResourcesTest, DefinitionsOfEarlierVersionsAreEstablishedAtTheStart) {
  const api::scheme::Kind& kind = api::scheme::KindOf(kDefinitions);
  const auto draft = store::MakeDraft(kind, Doc(kCronTabs).get_object());
  ASSERT_TRUE(draft.has_value());
  ASSERT_TRUE(store->Create(kind.collection, *draft).has_value());
  const Api again(*store, clock, 2);
  EXPECT_NE(again.kinds()->Find("example.com", "v1", "crontabs"), nullptr);
  EXPECT_HOLDS(Get(kDefinitions, "crontabs.example.com"),
               "{'status':{'storedVersions':['v1'],'acceptedNames':{'listKind':'CronTabList'}}}");
}

TEST_F(CustomResourcesTest, KindsWithBuiltInNamesAreNotTreatedAsBuiltIn) {
  for (const std::string_view name : {"Pod", "Job", "Service", "Node", "Namespace", "Event",
                                      "Deployment", "PersistentVolumeClaim"}) {
    std::string lower(name);
    std::ranges::transform(lower, lower.begin(), [](char c) { return c | 0x20; });
    const std::string definition = fmt::format(
        "{{'metadata':{{'name':'{0}s.example.com'}},'spec':{{'group':'example.com',"
        "'scope':'Namespaced','names':{{'plural':'{0}s','kind':'{1}'}},'versions':[{{'name':'v1',"
        "'served':true,'storage':true,'subresources':{{'status':{{}}}},"
        "'schema':{{'openAPIV3Schema':{{'type':'object',"
        "'x-kubernetes-preserve-unknown-fields':true}}}}}}]}}}}",
        lower, name);
    ASSERT_EQ(ErrorOf(Create(kDefinitions, definition)), "ok") << name;
    const auto kind = api.kinds()->Find("example.com", "v1", lower + "s");
    ASSERT_NE(kind, nullptr) << name;
    const auto made = api.Create(
        *kind, "default",
        Doc("{'metadata':{'name':'a','labels':{'x':'y'}},'spec':5,'status':{'phase':'no'}}"));
    ASSERT_EQ(ErrorOf(made), "ok") << name;
    EXPECT_HOLDS(store::Parse(*made->object), "{'spec':5,'status':null}") << name;
    ASSERT_EQ(ErrorOf(api.Patch(*kind, At("a"), "status", patch::PatchType::kMerge,
                                Doc("{'metadata':{'labels':{'x':'z'}},'status':{'phase':'p'}}"))),
              "ok");
    EXPECT_HOLDS(store::Parse(*store->Get(kind->collection, At("a"))),
                 "{'metadata':{'labels':{'x':'y'}},'spec':5,'status':{'phase':'p'}}")
        << name;
    const auto deleted = api.Delete(*kind, At("a"), {});
    ASSERT_EQ(ErrorOf(deleted), "ok");
    EXPECT_TRUE(deleted->gone) << name;
  }
}

TEST_F(CustomResourcesTest, AllValuesOfAllTypesMayBeNullWhereTheSchemaSaysSo) {
  Define(
      "{'metadata':{'name':'crontabs.example.com'},'spec':{'group':'example.com',"
      "'scope':'Namespaced','names':{'plural':'crontabs','kind':'CronTab'},'versions':[{'name':'v1'"
      ","
      "'served':true,'storage':true,'schema':{'openAPIV3Schema':{'type':'object','properties':{"
      "'a':{'type':'string','nullable':true},'b':{'type':'string'}}}}}]}}");
  ASSERT_EQ(ErrorOf(CreateTab("{'metadata':{'name':'x'},'a':null,'b':null}")), "ok");
  const api::Json tab = Tab("x");
  EXPECT_TRUE(tab.get_object().contains("a"));
  EXPECT_FALSE(tab.get_object().contains("b"));
}

TEST_F(CustomResourcesTest, EmptyFieldsDifferFromAbsentOnes) {
  Define(
      "{'metadata':{'name':'crontabs.example.com'},'spec':{'group':'example.com',"
      "'scope':'Namespaced','names':{'plural':'crontabs','kind':'CronTab'},'versions':[{'name':'v1'"
      ","
      "'served':true,'storage':true,'schema':{'openAPIV3Schema':{'type':'object',"
      "'x-kubernetes-preserve-unknown-fields':true}}}]}}");
  ASSERT_EQ(ErrorOf(CreateTab("{'metadata':{'name':'x'},'list':[]}")), "ok");
  EXPECT_TRUE(Tab("x").get_object().contains("list"));
  EXPECT_EQ(ErrorOf(PatchTab("x", "{'list':null}")), "ok");
  EXPECT_FALSE(Tab("x").get_object().contains("list"));
}

TEST_F(CustomResourcesTest, TheContentOfANamespaceIncludesThem) {
  Define();
  ASSERT_EQ(ErrorOf(CreateTab("{'metadata':{'name':'a'},'spec':{'cron':'*'}}")), "ok");
  EXPECT_EQ(api.DeleteNamespaceContent("default", 0).objects, 0u);
  EXPECT_TRUE(Tab("a").is_null());
}

TEST_F(CustomResourcesTest, DryRunsChangeNothing) {
  const auto& kind = api::scheme::KindOf(kDefinitions);
  EXPECT_EQ(ErrorOf(api.Create(kind, "", Doc(kCronTabs), {.dry_run = true})), "ok");
  EXPECT_EQ(CronTabs(), nullptr);
  Define();
  EXPECT_EQ(
      ErrorOf(CreateTab("{'metadata':{'name':'a'},'spec':{'cron':'*'}}", "v1", {.dry_run = true})),
      "ok");
  EXPECT_TRUE(Tab("a").is_null());
  EXPECT_EQ(ErrorOf(Delete(kDefinitions, "crontabs.example.com", {.dry_run = true})), "ok");
  EXPECT_NE(CronTabs(), nullptr);
}

TEST_F(CustomResourcesTest, ListenersHearOfChangedKinds) {
  int changes = 0;
  api.WhenKindsChange([&] { ++changes; });
  const uint64_t revision = api.kinds()->revision();
  Define();
  EXPECT_GT(changes, 0);
  EXPECT_GT(api.kinds()->revision(), revision);
}

TEST(CustomResourcesRestartTest, DefinitionsAndTheirObjectsSurviveIt) {
  CrdFixture fixture;
  fixture.Define();
  ASSERT_EQ(ErrorOf(fixture.CreateTab("{'metadata':{'name':'a'},'spec':{'cron':'*'}}")), "ok");
  // Another server on the same store.
  Api again(*fixture.store, fixture.clock, 2);
  const auto kind = again.kinds()->Find("example.com", "v1", "crontabs");
  ASSERT_NE(kind, nullptr);
  EXPECT_NE(fixture.store->Get(kind->collection, {"default", "a"}), nullptr);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::registry
