#include "explain/refusal.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "api/json/parse.h"
#include "testing/require.h"

namespace berth::explain {
namespace BERTH_TEST_FILE {

api::JsonObject Json(std::string_view text) { return Require(api::ParseJson(text)).get_object(); }

std::vector<std::string> Names(std::string_view kind) {
  if (kind == "PriorityClass") return {"high", "low"};
  return {"gvisor"};
}

struct Case {
  const char* name;
  const char* message;
  const char* want;
};

class RefusalTest : public testing::TestWithParam<Case> {};

TEST_P(RefusalTest, IsSaidInASentence) {
  const Refusal refusal{{"apps/v1", "Deployment", {"shop", "web"}}, 2, 4, GetParam().message};
  EXPECT_EQ(SentenceOf(refusal, Names).text, GetParam().want);
}

INSTANTIATE_TEST_SUITE_P(
    Messages, RefusalTest,
    testing::Values(
        Case{"Quota",
             "pods \"web-1\" is forbidden: exceeded quota: team, requested: pods=1,requests.cpu=2, "
             "used: pods=2,requests.cpu=3, limited: pods=2,requests.cpu=4",
             "2 of 4 replicas were refused by ResourceQuota team: 2 of 2 pods are used, and each "
             "pod needs 1; 3 of 4 requests.cpu are used, and each pod needs 2"},
        Case{"ShortQuota", "exceeded quota: team",
             "2 of 4 replicas were refused by ResourceQuota team"},
        Case{"QuotaWithoutRequest",
             "pods \"w\" is forbidden: failed quota: team: must specify limits.cpu for: web; "
             "limits.memory for: web",
             "2 of 4 replicas were refused by ResourceQuota team: it demands that containers set "
             "limits.cpu, and web does not"},
        Case{"LimitRange",
             "pods \"w\" is forbidden: maximum cpu usage per Container is 2, but limit is 3",
             "2 of 4 replicas were refused by a LimitRange: maximum cpu usage per Container is 2, "
             "but limit is 3"},
        Case{"LimitRanges",
             "pods \"w\" is forbidden: [maximum cpu usage per Container is 2, but limit is 3, "
             "minimum memory usage per Pod is 1Gi, but request is 1Mi]",
             "2 of 4 replicas were refused by a LimitRange: maximum cpu usage per Container is 2, "
             "but limit is 3, minimum memory usage per Pod is 1Gi, but request is 1Mi"},
        Case{"PriorityClass", "pods \"w\" is forbidden: no PriorityClass with name hihg was found",
             "2 of 4 replicas were not created: PriorityClass hihg does not exist; did you mean "
             "high?"},
        Case{"RuntimeClass",
             "pods \"w\" is forbidden: pod rejected: RuntimeClass \"gvisr\" not found",
             "2 of 4 replicas were not created: RuntimeClass gvisr does not exist; did you mean "
             "gvisor?"},
        Case{"ServiceAccount",
             "pods \"w\" is forbidden: error looking up service account shop/builder: "
             "serviceaccount \"builder\" not found",
             "2 of 4 replicas were not created: ServiceAccount builder does not exist"},
        Case{"PodSecurity",
             "pods \"w\" is forbidden: violates PodSecurity \"restricted:latest\": privileged "
             "(container \"c\" must not set securityContext.privileged=true)",
             "2 of 4 replicas were refused by the Pod Security level restricted:latest of the "
             "namespace: privileged (container \"c\" must not set "
             "securityContext.privileged=true)"},
        Case{"Webhook",
             "admission webhook \"policy.example.com\" denied the request: images must be signed",
             "2 of 4 replicas were refused by the admission webhook policy.example.com: images "
             "must be signed"},
        Case{"WebhookFails",
             "Internal error occurred: failed calling webhook \"policy.example.com\": failed to "
             "call webhook: connection refused",
             "2 of 4 replicas were not created: the admission webhook policy.example.com fails: "
             "failed to call webhook: connection refused"},
        Case{"Other", "Timeout: request did not complete.",
             "2 of 4 replicas were not created: Timeout: request did not complete"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(RefusalOfTest, ConditionsAndEventsSayWhy) {
  const auto deployment = Json(
      R"({"kind":"Deployment","metadata":{"name":"web"},"spec":{"replicas":4},"status":{)"
      R"("replicas":2,"conditions":[{"type":"ReplicaFailure","status":"True","message":"m"}]}})");
  const auto refusal = RefusalOf(deployment, {});
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->missing, 2);
  EXPECT_EQ(refusal->wanted, 4);
  EXPECT_EQ(refusal->message, "m");
  EXPECT_EQ(refusal->workload.key.ToString(), "default/web");
  const auto job = Json(R"({"kind":"Job","metadata":{"name":"j"},"status":{}})");
  const Events events{Json(R"({"reason":"FailedCreate","message":"forbidden"})")};
  EXPECT_FALSE(RefusalOf(job, {}));
  EXPECT_EQ(SentenceOf(*RefusalOf(job, events), Names).text, "Its pod was not created: forbidden");
  // All pods are there by now.
  const auto complete =
      Json(R"({"kind":"Deployment","spec":{"replicas":1},"status":{"replicas":1}})");
  EXPECT_FALSE(RefusalOf(complete, events));
  const auto daemons = Json(
      R"({"kind":"DaemonSet","status":{"desiredNumberScheduled":3,"currentNumberScheduled":2}})");
  EXPECT_EQ(SentenceOf(*RefusalOf(daemons, events), Names).text,
            "1 of 3 pods was not created: forbidden");
}

std::vector<std::string> FixTexts(const char* message, int64_t missing = 2) {
  const Refusal refusal{{"apps/v1", "Deployment", {"shop", "web"}}, missing, 4, message};
  std::vector<std::string> texts;
  for (const Fix& fix : FixesOf(refusal, Names)) texts.push_back(fix.changes[0].text);
  return texts;
}

TEST(RefusalFixesTest, LetThePodsBeCreated) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(FixTexts("exceeded quota: team, requested: pods=1,requests.cpu=500m, used: "
                     "pods=2,requests.cpu=3, limited: pods=2,requests.cpu=3"),
            (Texts{"reduce the replicas of Deployment web from 4 to 2",
                   "raise ResourceQuota team to 4 pods and 4 requests.cpu"}));
  // None to keep.
  EXPECT_EQ(FixTexts("exceeded quota: team, requested: pods=1, used: pods=2, limited: pods=2", 4),
            (Texts{"raise ResourceQuota team to 6 pods"}));
  EXPECT_EQ(FixTexts("no PriorityClass with name hihg was found"),
            (Texts{"use the PriorityClass high instead of hihg"}));
  EXPECT_EQ(FixTexts("serviceaccount \"builder\" not found"),
            (Texts{"create the ServiceAccount shop/builder"}));
  EXPECT_EQ(FixTexts("maximum cpu usage per Container is 2, but limit is 3"), Texts{});
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::explain
