#include "runtime/permission_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/rest_client_testing.h"

namespace berth::runtime {
namespace BERTH_TEST_FILE {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> Texts(const std::vector<Permission>& permissions) {
  std::vector<std::string> texts;
  for (const Permission& permission : permissions) texts.push_back(ToString(permission));
  return texts;
}

TEST(SchedulerPermissionsTest, NamesWhatTheSchedulerNeeds) {
  const auto texts = Texts(SchedulerPermissions({}, "kube-system", "berth"));
  EXPECT_THAT(texts, AllOf(Contains("create pods/binding"), Contains("delete pods"),
                           Contains("patch pods/status"), Contains("create events.events.k8s.io"),
                           Contains("create events"), Contains("watch statefulsets.apps"),
                           Contains("update persistentvolumes"),
                           Contains("list storageclasses.storage.k8s.io"),
                           Contains("get persistentvolumeclaims"),
                           Contains("watch resourceclaims.resource.k8s.io"),
                           Contains("create resourceclaims.resource.k8s.io"),
                           Contains("update resourceclaims/status.resource.k8s.io"),
                           Contains("patch resourceclaims/binding.resource.k8s.io")));
  EXPECT_THAT(texts,
              AllOf(Contains("update leases.coordination.k8s.io kube-system/berth"),
                    Contains("create leases.coordination.k8s.io in namespace kube-system"),
                    Contains("watch configmaps kube-system/extension-apiserver-authentication"),
                    Not(Contains("get nodes")), Not(Contains("delete nodes"))));
}

TEST(SchedulerPermissionsTest, AreThoseOfTheFeatures) {
  scheduler::model::Features features;
  EXPECT_THAT(Texts(SchedulerPermissions(features, "kube-system", "berth")),
              Not(Contains(HasSubstr("podgroups"))));
  features.generic_workload = true;
  EXPECT_THAT(Texts(SchedulerPermissions(features, "kube-system", "berth")),
              AllOf(Contains("watch podgroups.scheduling.k8s.io"),
                    Contains("patch podgroups/status.scheduling.k8s.io")));
}

class PermissionCheckTest : public testing::Test {
 protected:
  static Permission Of(std::string verb, std::string resource, std::string subresource = "") {
    Permission permission;
    permission.verb = std::move(verb);
    permission.resource = std::move(resource);
    permission.subresource = std::move(subresource);
    return permission;
  }
  void Check(std::vector<Permission> permissions) {
    FindMissingPermissions(server_.client(), std::move(permissions), [this](auto result) {
      if (!result) return outcome_.push_back("error: " + result.error().message);
      for (const MissingPermission& missing : *result) {
        outcome_.push_back(ToString(missing.permission) + ": " + missing.reason);
      }
      outcome_.push_back("end");
    });
    server_.executor.Run();
  }

  client::FakeApiServer server_;
  std::vector<std::string> outcome_;
};

TEST_F(PermissionCheckTest, SaysWhatIsMissing) {
  Permission lease = Of("update", "leases");
  lease.group = "coordination.k8s.io";
  lease.name_space = "n";
  lease.name = "l";
  Check({Of("get", "pods"), Of("create", "pods", "binding"), lease});
  EXPECT_EQ(server_.requests[0].url,
            "https://h/apis/authorization.k8s.io/v1/selfsubjectaccessreviews");
  EXPECT_EQ(
      server_.requests[1].body,
      R"({"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","spec":)"
      R"({"resourceAttributes":{"verb":"create","resource":"pods","subresource":"binding"}}})");
  EXPECT_EQ(server_.requests[2].body,
            R"({"apiVersion":"authorization.k8s.io/v1","kind":"SelfSubjectAccessReview","spec":)"
            R"({"resourceAttributes":{"namespace":"n","verb":"update",)"
            R"("group":"coordination.k8s.io","resource":"leases","name":"l"}}})");
  server_.RespondToOldest(201, R"({"status":{"allowed":true}})");
  server_.RespondToOldest(201, R"({"status":{"allowed":false,"reason":"no such role"}})");
  server_.RespondToOldest(201, R"({"status":{}})");
  EXPECT_THAT(outcome_, ElementsAre("create pods/binding: no such role",
                                    "update leases.coordination.k8s.io n/l: ", "end"));
}

TEST_F(PermissionCheckTest, AFailedReviewIsAnError) {
  for (const char* body : {"", "[]", "{}", "{\"status\":1}", "x"}) {
    Check({Of("get", "pods"), Of("get", "nodes")});
    server_.RespondToOldest(201, body);
    server_.RespondToOldest(201, R"({"status":{"allowed":true}})");
    EXPECT_THAT(outcome_.back(), HasSubstr("error: POST ")) << body;
  }
  Check({Of("get", "pods")});
  server_.RespondToOldest(401,
                          R"({"kind":"Status","reason":"Unauthorized","message":"Unauthorized"})");
  EXPECT_THAT(outcome_.back(), HasSubstr("unauthorized: Unauthorized"));
  Check({Of("get", "pods")});
  server_.Break(net::HttpError::Kind::kUnreachable, "refused");
  EXPECT_EQ(outcome_.back(), "error: refused");
  Check({});
  EXPECT_EQ(outcome_.back(), "end");
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::runtime
