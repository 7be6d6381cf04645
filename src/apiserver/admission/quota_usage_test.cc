#include "apiserver/admission/quota_usage.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "api/scheme/scheme.h"
#include "apiserver/registry/api_testing.h"

namespace berth::apiserver::admission {
namespace BERTH_TEST_FILE {

using registry::Doc;

constexpr Instant kNow = Instant::FromUnixSeconds(1767225600);  // 2026-01-01T00:00:00Z

struct UsageCase {
  const char* name;
  const char* kind;
  const char* object;
  const char* want;
};

class QuotaUsage : public ::testing::TestWithParam<UsageCase> {};

TEST_P(QuotaUsage, OfAnObject) {
  const api::Json object = Doc(GetParam().object);
  std::string text;
  for (const auto& [resource, amount] :
       QuotaUsageOf(api::scheme::KindOf(GetParam().kind), object.get_object(), kNow)) {
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", resource, amount.ToString());
  }
  EXPECT_EQ(text, GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    All, QuotaUsage,
    ::testing::Values(
        UsageCase{"Pod", "pods",
                  "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'a','namespace':'b'},"
                  "'spec':{'containers':[{'name':'c','resources':{'requests':{'cpu':'1',"
                  "'example.com/gpu':'2'},'limits':{'memory':'1Gi'}}},"
                  "{'name':'d','resources':{'requests':{'cpu':'500m'}}}]}}",
                  "count/pods=1 cpu=1500m limits.memory=1Gi pods=1 requests.cpu=1500m "
                  "requests.example.com/gpu=2"},
        UsageCase{"SucceededPod", "pods",
                  "{'spec':{'containers':[{'resources':{'requests':{'cpu':'1'}}}]},"
                  "'status':{'phase':'Succeeded'}}",
                  "count/pods=1"},
        UsageCase{"FailedPod", "pods", "{'spec':{},'status':{'phase':'Failed'}}", "count/pods=1"},
        UsageCase{"PodWithinItsGracePeriod", "pods",
                  "{'metadata':{'deletionTimestamp':'2026-01-01T00:00:01Z'},'spec':{}}",
                  "count/pods=1 pods=1"},
        UsageCase{"PodBeyondItsGracePeriod", "pods",
                  "{'metadata':{'deletionTimestamp':'2025-12-31T23:59:59Z'},'spec':{}}",
                  "count/pods=1"},
        UsageCase{"NodePort", "services", "{'spec':{'type':'NodePort','ports':[{},{}]}}",
                  "count/services=1 services=1 services.loadbalancers=0 services.nodeports=2"},
        UsageCase{"LoadBalancer", "services",
                  "{'spec':{'type':'LoadBalancer','ports':[{'nodePort':30000},{}]}}",
                  "count/services=1 services=1 services.loadbalancers=1 services.nodeports=1"},
        UsageCase{"ClusterIp", "services", "{'spec':{'ports':[{}]}}",
                  "count/services=1 services=1 services.loadbalancers=0 services.nodeports=0"},
        UsageCase{"Claim", "persistentvolumeclaims",
                  "{'spec':{'storageClassName':'gold','resources':{'requests':{'storage':'6Gi'}}}}",
                  "count/persistentvolumeclaims=1 "
                  "gold.storageclass.storage.k8s.io/persistentvolumeclaims=1 "
                  "gold.storageclass.storage.k8s.io/requests.storage=6Gi persistentvolumeclaims=1 "
                  "requests.storage=6Gi"},
        UsageCase{"Deployment", "deployments.apps", "{'spec':{}}", "count/deployments.apps=1"}),
    [](const auto& row) { return row.param.name; });

struct ScopeCase {
  const char* name;
  const char* quota;
  const char* object;
  bool want;
  const char* kind = "pods";
};

class QuotaScopes : public ::testing::TestWithParam<ScopeCase> {};

TEST_P(QuotaScopes, SelectObjects) {
  const api::Json quota = Doc(GetParam().quota);
  const api::Json object = Doc(GetParam().object);
  EXPECT_EQ(MatchesQuotaScopes(&quota.get_object(), api::scheme::KindOf(GetParam().kind),
                               object.get_object()),
            GetParam().want);
}

#define PRIORITY(REQUIREMENT) \
  "{'scopeSelector':{'matchExpressions':[{'scopeName':'PriorityClass'," REQUIREMENT "}]}}"
constexpr const char* kHigh = "{'spec':{'priorityClassName':'high'}}";
constexpr const char* kPlain = "{'spec':{'containers':[{}]}}";
constexpr const char* kCrossing =
    "{'spec':{'affinity':{'podAntiAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':"
    "[{'podAffinityTerm':{'namespaces':['other']}}]}}}}";

INSTANTIATE_TEST_SUITE_P(
    All, QuotaScopes,
    ::testing::Values(
        ScopeCase{"None", "{}", kPlain, true},
        ScopeCase{"Terminating", "{'scopes':['Terminating']}",
                  "{'spec':{'activeDeadlineSeconds':5}}", true},
        ScopeCase{"NotTerminating", "{'scopes':['NotTerminating']}",
                  "{'spec':{'activeDeadlineSeconds':5}}", false},
        ScopeCase{"TerminatingButForever", "{'scopes':['Terminating']}", kPlain, false},
        ScopeCase{"BestEffort", "{'scopes':['BestEffort']}", kPlain, true},
        ScopeCase{"NotBestEffort", "{'scopes':['NotBestEffort']}", kPlain, false},
        ScopeCase{"NotBestEffortWithRequests", "{'scopes':['NotBestEffort']}",
                  "{'spec':{'containers':[{'resources':{'requests':{'cpu':'1'}}}]}}", true},
        ScopeCase{"AllMustMatch", "{'scopes':['BestEffort','Terminating']}", kPlain, false},
        ScopeCase{"PriorityIn", PRIORITY("'operator':'In','values':['low','high']"), kHigh, true},
        ScopeCase{"PriorityNotIn", PRIORITY("'operator':'NotIn','values':['high']"), kHigh, false},
        ScopeCase{"PriorityExists", PRIORITY("'operator':'Exists'"), kHigh, true},
        ScopeCase{"PriorityDoesNotExist", PRIORITY("'operator':'DoesNotExist'"), kHigh, false},
        ScopeCase{"NoPriorityExists", PRIORITY("'operator':'Exists'"), kPlain, false},
        ScopeCase{"NoPriorityDoesNotExist", PRIORITY("'operator':'DoesNotExist'"), kPlain, true},
        ScopeCase{"CrossNamespace", "{'scopes':['CrossNamespacePodAffinity']}", kCrossing, true},
        ScopeCase{"OwnNamespace", "{'scopes':['CrossNamespacePodAffinity']}", kPlain, false},
        ScopeCase{"OtherKinds", "{'scopes':['BestEffort']}", "{}", false, "configmaps"},
        ScopeCase{"AttributesOfAClaim",
                  "{'scopeSelector':{'matchExpressions':[{'scopeName':'VolumeAttributesClass',"
                  "'operator':'In','values':['fast']}]}}",
                  "{'spec':{'volumeAttributesClassName':'fast'}}", true, "persistentvolumeclaims"}),
    [](const auto& row) { return row.param.name; });

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::admission
