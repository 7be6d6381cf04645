// CrdFixture is an ApiFixture with the CustomResourceDefinition of CronTabs.
#pragma once

#include <string>
#include <string_view>

#include "apiserver/registry/api_testing.h"
#include "apiserver/registry/conversion.h"

namespace berth::apiserver::registry {

inline constexpr std::string_view kDefinitions = "customresourcedefinitions.apiextensions.k8s.io";

// Two versions, the first of which is stored; both have the subresources.
inline constexpr std::string_view kCronTabs =
    "{'metadata':{'name':'crontabs.example.com'},"
    "'spec':{'group':'example.com','scope':'Namespaced',"
    "'names':{'plural':'crontabs','kind':'CronTab','shortNames':['ct'],'categories':['all']},"
    "'versions':["
    "{'name':'v1','served':true,'storage':true,"
    "'subresources':{'status':{},'scale':{'specReplicasPath':'.spec.replicas',"
    "'statusReplicasPath':'.status.replicas','labelSelectorPath':'.status.selector'}},"
    "'selectableFields':[{'jsonPath':'.spec.cron'}],"
    "'additionalPrinterColumns':[{'name':'Cron','type':'string','jsonPath':'.spec.cron'},"
    "{'name':'Replicas','type':'integer','jsonPath':'.spec.replicas','priority':1}],"
    "'schema':{'openAPIV3Schema':{'type':'object','required':['spec'],'properties':{"
    "'spec':{'type':'object','required':['cron'],'properties':{"
    "'cron':{'type':'string','pattern':'^[*0-9 ]+$'},"
    "'replicas':{'type':'integer','minimum':0,'maximum':10,'default':1},"
    "'ports':{'type':'array','x-kubernetes-list-type':'map','x-kubernetes-list-map-keys':['name'],"
    "'items':{'type':'object','required':['name'],'properties':{'name':{'type':'string'},"
    "'port':{'type':'integer'}}}}}},"
    "'status':{'type':'object','properties':{'replicas':{'type':'integer'},"
    "'selector':{'type':'string'},'phase':{'type':'string','enum':['Ready']}}}}}}},"
    "{'name':'v1beta1','served':true,'storage':false,'subresources':{'status':{}},"
    "'schema':{'openAPIV3Schema':{'type':'object','properties':{"
    "'spec':{'type':'object','properties':{'cron':{'type':'string'},"
    "'replicas':{'type':'integer'}}},"
    "'status':{'type':'object','x-kubernetes-preserve-unknown-fields':true}}}}}]}}";

struct CrdFixture : ApiFixture {
  void Define(std::string_view definition = kCronTabs) {
    EXPECT_EQ(ErrorOf(Create(kDefinitions, definition)), "ok");
  }
  api::scheme::KindPtr CronTabs(std::string_view version = "v1") const {
    return api.kinds()->Find("example.com", version, "crontabs");
  }
  static ObjectName At(std::string_view name) { return {"default", std::string(name)}; }

  api::scheme::ApiResult<Written> CreateTab(std::string_view text, std::string_view version = "v1",
                                            const WriteOptions& options = {}) {
    return api.Create(*CronTabs(version), "default", Doc(text), options);
  }
  api::scheme::ApiResult<Written> PatchTab(std::string_view name, std::string_view patch,
                                           std::string_view subresource = "",
                                           patch::PatchType type = patch::PatchType::kMerge,
                                           const WriteOptions& options = {}) {
    return api.Patch(*CronTabs(), At(name), subresource, type, Doc(patch), options);
  }
  // Returns the object as the version represents it, or null.
  api::Json Tab(std::string_view name, std::string_view version = "v1") const {
    const ObjectPtr object = store->Get(CronTabs()->collection, At(name));
    return object ? store::Parse(*InForm(*CronTabs(version), object)) : api::Json();
  }
};

}  // namespace berth::apiserver::registry
