// x-kubernetes-validations over HTTP: definitions with rules, and objects that observe them or not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "apiserver/server.h"
#include "testing/api_client.h"

namespace berth::apiserver {
namespace BERTH_TEST_FILE {

using testing::HasSubstr;

constexpr const char* kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
constexpr const char* kDefinition =
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/shops.example.com";
constexpr const char* kShops = "/apis/example.com/v1/namespaces/default/shops";
constexpr const char* kShop = "/apis/example.com/v1/namespaces/default/shops/a";
constexpr const char* kMerge = "Content-Type: application/merge-patch+json\r\n";

// Single quotes stand for double quotes.
std::string Json(std::string text) {
  std::ranges::replace(text, '\'', '"');
  return text;
}

// `more` are further rules of spec.
std::string Definition(const std::string& more = "") {
  return Json(
      "{'kind':'CustomResourceDefinition','apiVersion':'apiextensions.k8s.io/v1',"
      "'metadata':{'name':'shops.example.com'},'spec':{'group':'example.com',"
      "'scope':'Namespaced','names':{'plural':'shops','kind':'Shop'},"
      "'versions':[{'name':'v1','served':true,'storage':true,'subresources':{'status':{}},"
      "'schema':{'openAPIV3Schema':{'type':'object','required':['spec'],"
      "'x-kubernetes-validations':[{'rule':'self.metadata.name.size() < 9',"
      "'message':'name is too long'},"
      "{'rule':'!has(self.status) || self.status.open <= self.spec.max',"
      "'message':'more are open than there may be','fieldPath':'.status'}],"
      "'properties':{"
      "'spec':{'type':'object','required':['min','max'],"
      "'x-kubernetes-validations':[{'rule':'self.min <= self.max',"
      "'messageExpression':'\\\"%d is more than %d\\\".format([self.min, self.max])'}" +
      more +
      "],'properties':{'min':{'type':'integer'},'max':{'type':'integer'},"
      "'city':{'type':'string','x-kubernetes-validations':["
      "{'rule':'self == oldSelf','message':'city is immutable'}]}}},"
      "'status':{'type':'object','properties':{'open':{'type':'integer'}}}}}}}]}}");
}

std::string Shop(const std::string& name, const std::string& spec) {
  return Json("{'kind':'Shop','apiVersion':'example.com/v1','metadata':{'name':'" + name +
              "'},'spec':" + spec + "}");
}

class ValidationRulesTest : public testing::Test {
 protected:
  ValidationRulesTest() {
    auto started = ApiServer::Start({});
    EXPECT_TRUE(started) << started.error().message;
    server_ = *std::move(started);
    client_ = std::make_unique<ApiClient>(server_->port());
  }

  void DefineAndCreate() {
    const ApiResponse defined = client_->Ask("POST", kDefinitions, Definition());
    ASSERT_EQ(defined.status, 201) << defined.body;
    EXPECT_EQ(defined.header("Warning"), "");
    const ApiResponse created =
        client_->Ask("POST", kShops, Shop("a", "{'min':1,'max':9,'city':'Ulm'}"));
    ASSERT_EQ(created.status, 201) << created.body;
  }
  void ExpectInvalid(const ApiResponse& response, const std::string& want) {
    EXPECT_EQ(response.status, 422) << response.body;
    EXPECT_THAT(response.body, HasSubstr(want));
  }
  ApiResponse Patch(const std::string& path, const std::string& body) {
    return client_->Ask("PATCH", path, Json(body), kMerge);
  }

  std::unique_ptr<ApiServer> server_;
  std::unique_ptr<ApiClient> client_;
};

TEST_F(ValidationRulesTest, ObjectsObserveTheRules) {
  DefineAndCreate();
  ExpectInvalid(client_->Ask("POST", kShops, Shop("b", "{'min':3,'max':2}")),
                "Shop.example.com \\\"b\\\" is invalid: spec: Invalid value: 3 is more than 2");
  ExpectInvalid(client_->Ask("POST", kShops, Shop("a-long-name", "{'min':1,'max':2}")),
                "<nil>: Invalid value: name is too long");
  ExpectInvalid(client_->Ask("POST", kShops, Shop("b", "{'min':1}")),
                "some validation rules were not checked because the object was invalid; correct "
                "the existing errors to complete validation");
  ExpectInvalid(client_->Ask("POST", kShops, Json("{'spec':{'min':1,'max':2}}")),
                "name or generateName is required, <nil>: Invalid value: null: some validation");
}

TEST_F(ValidationRulesTest, UpdatesObserveTheRulesAboutThem) {
  DefineAndCreate();
  ExpectInvalid(Patch(kShop, "{'spec':{'city':'Bonn'}}"),
                "spec.city: Invalid value: \\\"Bonn\\\": city is immutable");
  EXPECT_EQ(Patch(kShop, "{'spec':{'max':8}}").status, 200);
}

TEST_F(ValidationRulesTest, TheStatusObservesTheRules) {
  DefineAndCreate();
  const std::string status = std::string(kShop) + "/status";
  EXPECT_EQ(Patch(status, "{'status':{'open':5}}").status, 200);
  ExpectInvalid(Patch(status, "{'status':{'open':10}}"),
                "status: Invalid value: more are open than there may be");
  // The rule is about both.
  ExpectInvalid(Patch(kShop, "{'spec':{'max':4}}"),
                "status: Invalid value: more are open than there may be");
}

TEST_F(ValidationRulesTest, AStricterRuleLeavesWhatIsThere) {
  DefineAndCreate();
  const ApiResponse before = client_->Get(kDefinition);
  std::string stricter = Definition(",{'rule':'self.min > 1','message':'min is too small'}");
  const std::string version = "\"resourceVersion\":\"";
  const size_t at = before.body.find(version);
  const size_t end = before.body.find('"', at + version.size());
  stricter.insert(stricter.find("\"name\":\"shops.example.com\""),
                  before.body.substr(at, end + 1 - at) + ",");
  const ApiResponse updated = client_->Ask("PUT", kDefinition, stricter);
  ASSERT_EQ(updated.status, 200) << updated.body;
  const ApiResponse labelled = Patch(kShop, "{'metadata':{'labels':{'a':'b'}}}");
  EXPECT_EQ(labelled.status, 200) << labelled.body;
  EXPECT_EQ(labelled.header("Warning"), "299 - \"spec: Invalid value: min is too small\"");
  ExpectInvalid(Patch(kShop, "{'spec':{'max':7}}"), "spec: Invalid value: min is too small");
  EXPECT_EQ(Patch(kShop, "{'spec':{'min':2}}").status, 200);
}

TEST_F(ValidationRulesTest, ADefinitionWithAWrongRuleIsRefused) {
  ExpectInvalid(
      client_->Ask("POST", kDefinitions, Definition(",{'rule':'self.mim > 1'}")),
      "spec.versions[0].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations[1].rule: "
      "Invalid value: ");
  EXPECT_THAT(client_->Ask("POST", kDefinitions, Definition(",{'rule':'self.mim > 1'}")).body,
              HasSubstr("compilation failed: ERROR: <input>:1:5: undefined field 'mim'"));
  EXPECT_EQ(client_->Get(kShops).status, 404);
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver
