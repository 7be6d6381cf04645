// CustomResourceDefinitions and their resources over HTTP, as kubectl uses them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json.hpp>
#include <string>

#include "apiserver/server.h"
#include "testing/api_client.h"
#include "testing/raw_client.h"
#include "testing/temporary_directory.h"

namespace berth::apiserver {
namespace BERTH_TEST_FILE {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
constexpr const char* kTabs = "/apis/example.com/v1/namespaces/default/crontabs";
constexpr const char* kMerge = "Content-Type: application/merge-patch+json\r\n";
constexpr const char* kTable = "Accept: application/json;as=Table;v=v1;g=meta.k8s.io\r\n";

// Single quotes stand for double quotes.
std::string Json(std::string text) {
  std::ranges::replace(text, '\'', '"');
  return text;
}

std::string Definition() {
  return Json(
      "{'kind':'CustomResourceDefinition','apiVersion':'apiextensions.k8s.io/v1',"
      "'metadata':{'name':'crontabs.example.com'},'spec':{'group':'example.com',"
      "'scope':'Namespaced','names':{'plural':'crontabs','kind':'CronTab','shortNames':['ct'],"
      "'categories':['all']},'versions':[{'name':'v1','served':true,'storage':true,"
      "'subresources':{'status':{},'scale':{'specReplicasPath':'.spec.replicas',"
      "'statusReplicasPath':'.status.replicas'}},"
      "'selectableFields':[{'jsonPath':'.spec.cron'}],'additionalPrinterColumns':["
      "{'name':'Cron','type':'string','jsonPath':'.spec.cron','description':'When it runs'},"
      "{'name':'Replicas','type':'integer','jsonPath':'.spec.replicas'},"
      "{'name':'Ready','type':'string',"
      "'jsonPath':'.status.conditions[?(@.type==\\\"Ready\\\")].status'},"
      "{'name':'Age','type':'date','jsonPath':'.metadata.creationTimestamp'}],"
      "'schema':{'openAPIV3Schema':{'description':'Runs things.','type':'object','properties':{"
      "'spec':{'type':'object','required':['cron'],'properties':{"
      "'cron':{'type':'string','description':'Five fields.'},"
      "'replicas':{'type':'integer','default':1},"
      "'size':{'x-kubernetes-int-or-string':true,'anyOf':[{'type':'integer'},{'type':'string'}]},"
      "'note':{'type':'string','nullable':true}}},"
      "'status':{'type':'object','x-kubernetes-preserve-unknown-fields':true}}}}},"
      "{'name':'v1beta1','served':true,'storage':false,'deprecated':true,"
      "'schema':{'openAPIV3Schema':{'type':'object','x-kubernetes-preserve-unknown-fields':true}}}"
      "]}}");
}

std::string Tab(const std::string& name, const std::string& cron = "* *") {
  return Json("{'kind':'CronTab','apiVersion':'example.com/v1','metadata':{'name':'" + name +
              "','labels':{'n':'" + name + "'}},'spec':{'cron':'" + cron + "'}}");
}

class CustomResourcesTest : public testing::Test {
 protected:
  CustomResourcesTest() {
    auto started = ApiServer::Start({});
    EXPECT_TRUE(started) << started.error().message;
    server_ = *std::move(started);
    client_ = std::make_unique<ApiClient>(server_->port());
  }

  void Define() {
    const ApiResponse created = client_->Ask("POST", kDefinitions, Definition());
    ASSERT_EQ(created.status, 201) << created.body;
  }
  void Create(const std::string& name, const std::string& cron = "* *") {
    const ApiResponse created = client_->Ask("POST", kTabs, Tab(name, cron));
    ASSERT_EQ(created.status, 201) << created.body;
  }
  boost::json::value GetJson(const std::string& path, const std::string& headers = "") {
    const ApiResponse response = client_->Get(path, headers);
    EXPECT_EQ(response.status, 200) << path << " " << response.body;
    return boost::json::parse(response.body);
  }
  size_t CountItems(const std::string& path) { return GetJson(path).at("items").as_array().size(); }

  std::unique_ptr<ApiServer> server_;
  std::unique_ptr<ApiClient> client_;
};

TEST_F(CustomResourcesTest, AreServedOnceTheyAreDefined) {
  EXPECT_EQ(client_->Get(kTabs).status, 404);
  EXPECT_EQ(client_->Get("/apis/example.com/v1").status, 404);
  Define();
  const auto list = GetJson(kTabs);
  EXPECT_EQ(list.at("kind"), "CronTabList");
  EXPECT_EQ(list.at("apiVersion"), "example.com/v1");
  Create("a");
  const auto tab = GetJson(std::string(kTabs) + "/a");
  EXPECT_EQ(tab.at_pointer("/spec/replicas").as_int64(), 1);
  EXPECT_EQ(GetJson("/apis/example.com/v1/crontabs").at("items").as_array().size(), 1u);
  EXPECT_EQ(client_->Ask("DELETE", std::string(kTabs) + "/a").status, 200);
  EXPECT_EQ(client_->Get(std::string(kTabs) + "/a").status, 404);
}

TEST_F(CustomResourcesTest, AreInBothFormsOfDiscovery) {
  Define();
  EXPECT_THAT(client_->Get("/").body, HasSubstr("\"/apis/example.com/v1\""));
  const auto group = GetJson("/apis/example.com");
  EXPECT_EQ(group.at_pointer("/preferredVersion/version"), "v1");
  EXPECT_EQ(group.at("versions").as_array().size(), 2u);
  EXPECT_THAT(client_->Get("/apis").body, HasSubstr("example.com/v1beta1"));
  const auto resources = GetJson("/apis/example.com/v1").at("resources").as_array();
  ASSERT_EQ(resources.size(), 3u);
  EXPECT_EQ(resources[0].at("shortNames"), boost::json::parse(R"(["ct"])"));
  EXPECT_EQ(resources[0].at("categories"), boost::json::parse(R"(["all"])"));
  EXPECT_EQ(resources[1].at("name"), "crontabs/status");
  EXPECT_EQ(resources[2].at("name"), "crontabs/scale");
  const std::string aggregated =
      client_
          ->Get("/apis",
                "Accept: application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList\r\n")
          .body;
  EXPECT_THAT(aggregated, HasSubstr(R"("resource":"crontabs")"));
  // It goes with the definition.
  EXPECT_EQ(client_->Ask("DELETE", std::string(kDefinitions) + "/crontabs.example.com").status,
            200);
  EXPECT_EQ(client_->Get("/apis/example.com").status, 404);
  EXPECT_THAT(client_->Get("/apis").body, Not(HasSubstr("example.com")));
}

TEST_F(CustomResourcesTest, HaveOpenApiSchemas) {
  const std::string before = client_->Get("/openapi/v3").body;
  Define();
  const auto index = GetJson("/openapi/v3");
  const auto& path =
      index.at("paths").at("apis/example.com/v1").at("serverRelativeURL").as_string();
  EXPECT_THAT(std::string(path), HasSubstr("/openapi/v3/apis/example.com/v1?hash="));
  EXPECT_THAT(before, HasSubstr("apis/apps/v1"));
  const auto document = GetJson("/openapi/v3/apis/example.com/v1");
  const auto& schema = document.at("components").at("schemas").at("com.example.v1.CronTab");
  EXPECT_EQ(schema.at("description"), "Runs things.");
  EXPECT_EQ(schema.at_pointer("/properties/spec/properties/cron/description"), "Five fields.");
  EXPECT_EQ(schema.at_pointer("/properties/metadata/allOf/0/$ref"),
            "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
  EXPECT_EQ(schema.at("x-kubernetes-group-version-kind").at(0).at("kind"), "CronTab");
  // Conformance tests look for these words in what `kubectl explain` prints.
  EXPECT_THAT(std::string(schema.at_pointer("/properties/apiVersion/description").as_string()),
              StartsWith("APIVersion defines"));
  const auto& metadata =
      document.at("components").at("schemas").at("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
  EXPECT_THAT(std::string(metadata.at("description").as_string()),
              StartsWith("Standard object's metadata"));
  EXPECT_THAT(
      std::string(metadata.at_pointer("/properties/creationTimestamp/description").as_string()),
      StartsWith("CreationTimestamp is a timestamp"));
  EXPECT_TRUE(document.at("paths").as_object().contains(
      "/apis/example.com/v1/namespaces/{namespace}/crontabs/{name}"));

  const auto v2 = GetJson("/openapi/v2").at("definitions").at("com.example.v1.CronTab");
  EXPECT_FALSE(v2.at_pointer("/properties/spec/properties/size").as_object().contains("anyOf"));
  EXPECT_FALSE(v2.at_pointer("/properties/spec/properties/note").as_object().contains("type"));
  EXPECT_FALSE(v2.at_pointer("/properties/status").as_object().contains("type"));
  EXPECT_EQ(client_
                ->Get("/openapi/v2",
                      "Accept: application/com.github.proto-openapi.spec.v2@v1.0+protobuf\r\n")
                .status,
            200);
}

TEST_F(CustomResourcesTest, ArePrintedByTheirColumns) {
  Define();
  Create("a");
  client_->Ask("PATCH", std::string(kTabs) + "/a/status",
               Json("{'status':{'conditions':[{'type':'Ready','status':'True'}]}}"), kMerge);
  Create("b");
  const auto table = GetJson(kTabs, kTable);
  EXPECT_EQ(table.at("kind"), "Table");
  const auto& columns = table.at("columnDefinitions").as_array();
  ASSERT_EQ(columns.size(), 5u);
  EXPECT_EQ(columns[0].at("name"), "Name");
  EXPECT_EQ(columns[1].at("description"), "When it runs");
  boost::json::array cells = table.at_pointer("/rows/0/cells").as_array();
  EXPECT_THAT(std::string(cells.back().as_string()), testing::EndsWith("s")) << "its age";
  cells.pop_back();
  EXPECT_EQ(cells, boost::json::parse(R"(["a","* *",1,"True"])").as_array());
  EXPECT_TRUE(table.at_pointer("/rows/1/cells/3").is_null());
  EXPECT_EQ(GetJson("/apis/example.com/v1beta1/crontabs", kTable)
                .at_pointer("/rows/0/cells")
                .as_array()
                .size(),
            2u)
      << "name and age by default";
}

TEST_F(CustomResourcesTest, AreSelectedByLabelsAndFields) {
  Define();
  Create("a", "1");
  Create("b", "2");
  Create("c", "2");
  const std::string tabs = kTabs;
  EXPECT_EQ(CountItems(tabs + "?labelSelector=n%3Db"), 1u);
  EXPECT_EQ(CountItems(tabs + "?fieldSelector=metadata.name%3Da"), 1u);
  EXPECT_EQ(CountItems(tabs + "?fieldSelector=spec.cron%3D2"), 2u);
  EXPECT_EQ(CountItems(tabs + "?fieldSelector=spec.cron!%3D2"), 1u);
  EXPECT_EQ(client_->Get(tabs + "?fieldSelector=spec.replicas%3D1").status, 400);
  const auto page = GetJson(tabs + "?limit=2");
  EXPECT_EQ(page.at("items").as_array().size(), 2u);
  EXPECT_EQ(CountItems(tabs + "?limit=2&continue=" +
                       std::string(page.at_pointer("/metadata/continue").as_string())),
            1u);
  EXPECT_EQ(client_->Ask("DELETE", tabs + "?labelSelector=n+in+(a,b)").status, 200);
  EXPECT_EQ(CountItems(tabs), 1u);
}

TEST_F(CustomResourcesTest, AreWatched) {
  Define();
  RawClient watcher(server_->port());
  watcher.Send("GET " + std::string(kTabs) +
               "?watch=true&fieldSelector=spec.cron%3D1 HTTP/1.1\r\nHost: localhost\r\n\r\n");
  watcher.ReadUntil("\r\n\r\n");
  Create("b", "2");
  Create("a", "1");
  EXPECT_THAT(watcher.ReadUntil("}\n"),
              HasSubstr(R"({"type":"ADDED","object":{"kind":"CronTab","apiVersion":)"
                        R"("example.com/v1","metadata":{"name":"a")"));
  client_->Ask("PATCH", std::string(kTabs) + "/a", Json("{'spec':{'cron':'3'}}"), kMerge);
  EXPECT_THAT(watcher.ReadUntil("}\n"), HasSubstr(R"("type":"DELETED")"));
  // The definition goes: readers must list again, and find nothing.
  client_->Ask("DELETE", std::string(kDefinitions) + "/crontabs.example.com");
  EXPECT_THAT(watcher.ReadUntil("}\n"), HasSubstr(R"("type":"ERROR")"));
  EXPECT_EQ(client_->Get(kTabs).status, 404);
}

TEST_F(CustomResourcesTest, OtherVersionsAreConvertedInEachForm) {
  Define();
  Create("a");
  const std::string beta = "/apis/example.com/v1beta1/namespaces/default/crontabs";
  const ApiResponse one = client_->Get(beta + "/a");
  EXPECT_THAT(one.body, HasSubstr(R"("apiVersion":"example.com/v1beta1")"));
  EXPECT_EQ(one.header("Warning"), R"(299 - "example.com/v1beta1 CronTab is deprecated")");
  EXPECT_EQ(GetJson(beta).at_pointer("/items/0/apiVersion"), "example.com/v1beta1");
  const std::string watched =
      client_->Get(beta + "?watch=true&timeoutSeconds=1&resourceVersion=0").head;
  EXPECT_THAT(watched, HasSubstr("200"));
}

TEST_F(CustomResourcesTest, StrategicMergePatchesAreNotSupported) {
  Define();
  Create("a");
  const ApiResponse refused =
      client_->Ask("PATCH", std::string(kTabs) + "/a", "{}",
                   "Content-Type: application/strategic-merge-patch+json\r\n");
  EXPECT_EQ(refused.status, 415);
  EXPECT_THAT(refused.body,
              HasSubstr("accepted media types include: application/json-patch+json, "
                        "application/merge-patch+json, application/apply-patch+yaml"));
}

TEST_F(CustomResourcesTest, HaveNoProtobuf) {
  // Group and kind resemble those of a built-in kind, which has.
  const ApiResponse defined = client_->Ask(
      "POST", kDefinitions,
      Json("{'kind':'CustomResourceDefinition','apiVersion':'apiextensions.k8s.io/v1',"
           "'metadata':{'name':'deployments.apps.example.com'},'spec':{'group':'apps.example.com',"
           "'scope':'Namespaced','names':{'plural':'deployments','kind':'Deployment'},'versions':["
           "{'name':'v1','served':true,'storage':true,'schema':{'openAPIV3Schema':{"
           "'type':'object'}}}]}}"));
  ASSERT_EQ(defined.status, 201) << defined.body;
  const std::string path = "/apis/apps.example.com/v1/namespaces/default/deployments";
  const ApiResponse refused =
      client_->Ask("POST", path, "k8s", "Content-Type: application/vnd.kubernetes.protobuf\r\n");
  EXPECT_EQ(refused.status, 415) << refused.body;
  const ApiResponse unreadable =
      client_->Ask("GET", path, "", "Accept: application/vnd.kubernetes.protobuf\r\n");
  EXPECT_EQ(unreadable.status, 406) << unreadable.body;
}

TEST_F(CustomResourcesTest, AreNotTakenForBuiltInOnesOfTheSameName) {
  const ApiResponse defined = client_->Ask(
      "POST", kDefinitions,
      Json("{'kind':'CustomResourceDefinition','apiVersion':'apiextensions.k8s.io/v1',"
           "'metadata':{'name':'services.example.com'},'spec':{'group':'example.com',"
           "'scope':'Namespaced','names':{'plural':'services','kind':'Binding'},'versions':["
           "{'name':'v1','served':true,'storage':true,'schema':{'openAPIV3Schema':{"
           "'type':'object'}}}]}}"));
  ASSERT_EQ(defined.status, 201) << defined.body;
  const std::string path = "/apis/example.com/v1/namespaces/default/services";
  const ApiResponse created = client_->Ask(
      "POST", path,
      Json("{'kind':'Binding','apiVersion':'example.com/v1','metadata':{'name':'a'}}"));
  EXPECT_EQ(created.status, 201) << created.body;
  EXPECT_THAT(created.body, HasSubstr(R"("apiVersion":"example.com/v1")"));
  const ApiResponse deleted = client_->Ask("DELETE", path + "/a");
  EXPECT_THAT(deleted.body, HasSubstr(R"("kind":"Status")"));
}

TEST_F(CustomResourcesTest, AreScaled) {
  Define();
  Create("a");
  const std::string scale = std::string(kTabs) + "/a/scale";
  EXPECT_THAT(client_->Get(scale).body, HasSubstr(R"("spec":{"replicas":1})"));
  const ApiResponse patched = client_->Ask("PATCH", scale, Json("{'spec':{'replicas':4}}"), kMerge);
  EXPECT_EQ(patched.status, 200) << patched.body;
  EXPECT_EQ(GetJson(std::string(kTabs) + "/a").at_pointer("/spec/replicas").as_int64(), 4);
}

TEST_F(CustomResourcesTest, UnknownFieldsAreToldToTheClient) {
  Define();
  std::string body = Tab("a");
  body.insert(body.find("\"cron\""), "\"crom\":1,");
  EXPECT_EQ(client_->Ask("POST", std::string(kTabs) + "?fieldValidation=Strict", body).status, 400);
  const ApiResponse created = client_->Ask("POST", kTabs, body);
  EXPECT_EQ(created.status, 201);
  EXPECT_EQ(created.header("Warning"), R"(299 - "unknown field \"spec.crom\"")");
  EXPECT_EQ(client_
                ->Ask("POST", std::string(kDefinitions) + "?fieldValidation=Strict",
                      Json("{'metadata':{'name':'x.y.z'},'spec':{'nams':{}}}"))
                .status,
            400);
}

TEST_F(CustomResourcesTest, AreCountedTogether) {
  Define();
  Create("a");
  EXPECT_THAT(client_->Get("/metrics").body,
              HasSubstr("apiserver_storage_objects{resource=\"customresources\"} 1"));
}

TEST(CustomResourcesRestartTest, TheyAreThereAgain) {
  const TemporaryDirectory directory;
  std::string written;
  {
    const auto server = ApiServer::Start({.data_dir = directory.path()});
    ASSERT_TRUE(server) << server.error().message;
    ApiClient client((*server)->port());
    EXPECT_EQ(client.Ask("POST", kDefinitions, Definition()).status, 201);
    written = client.Ask("POST", kTabs, Tab("a")).body;
    // One that is gone leaves nothing behind.
    std::string other = Definition();
    for (size_t at; (at = other.find("example.com")) != other.npos;) other.replace(at, 11, "x.org");
    EXPECT_EQ(client.Ask("POST", kDefinitions, other).status, 201);
    std::string tab = Tab("b");
    tab.replace(tab.find("example.com"), 11, "x.org");
    EXPECT_EQ(client.Ask("POST", "/apis/x.org/v1/namespaces/default/crontabs", tab).status, 201);
    EXPECT_EQ(client.Ask("DELETE", std::string(kDefinitions) + "/crontabs.x.org").status, 200);
  }
  {
    const auto server = ApiServer::Start({.data_dir = directory.path()});
    ASSERT_TRUE(server) << server.error().message;
    ApiClient client((*server)->port());
    EXPECT_EQ(client.Get(std::string(kTabs) + "/a").body, written);
    EXPECT_EQ(client.Ask("POST", kTabs, Tab("c")).status, 201);
    EXPECT_EQ(client.Get("/apis/x.org/v1/crontabs").status, 404);
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver
