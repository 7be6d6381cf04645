#include "api/scheme/api_error.h"

#include <gtest/gtest.h>

#include "api/scheme/scheme.h"

namespace berth::api::scheme {
namespace BERTH_TEST_FILE {

struct StatusCase {
  const char* name;
  ApiError error;
  const char* want;  // After `"metadata":{},"status":"Failure",`.
};

class StatusTest : public testing::TestWithParam<StatusCase> {};

TEST_P(StatusTest, HasTheFormatThatClientsExpect) {
  EXPECT_EQ(ToStatusJson(GetParam().error),
            R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)" +
                std::string(GetParam().want));
}

const Kind& Pods() { return KindOf("pods"); }
const Kind& Deployments() { return KindOf("deployments.apps"); }

ApiError WithRetry(ApiError error) {
  error.retry_after_seconds = 10;
  return error;
}

INSTANTIATE_TEST_SUITE_P(
    Errors, StatusTest,
    testing::Values(
        StatusCase{"NotFound", NotFound(Pods(), "a1"),
                   R"("message":"pods \"a1\" not found","reason":"NotFound",)"
                   R"("details":{"name":"a1","kind":"pods"},"code":404})"},
        StatusCase{"NotFoundNamesTheGroup", NotFound(Deployments(), "web"),
                   R"("message":"deployments.apps \"web\" not found","reason":"NotFound",)"
                   R"("details":{"name":"web","group":"apps","kind":"deployments"},"code":404})"},
        StatusCase{"UnknownResourceHasEmptyDetails", UnknownResource(),
                   R"("message":"the server could not find the requested resource",)"
                   R"("reason":"NotFound","details":{},"code":404})"},
        StatusCase{"AlreadyExists", AlreadyExists(Pods(), "a"),
                   R"("message":"pods \"a\" already exists","reason":"AlreadyExists",)"
                   R"("details":{"name":"a","kind":"pods"},"code":409})"},
        StatusCase{"Modified", Modified(Pods(), "a"),
                   R"("message":"Operation cannot be fulfilled on pods \"a\": the object has been )"
                   R"(modified; please apply your changes to the latest version and try again",)"
                   R"("reason":"Conflict","details":{"name":"a","kind":"pods"},"code":409})"},
        StatusCase{"Forbidden", Forbidden(Pods(), "a", "no PriorityClass with name x was found"),
                   R"("message":"pods \"a\" is forbidden: no PriorityClass with name x was found",)"
                   R"("reason":"Forbidden","details":{"name":"a","kind":"pods"},"code":403})"},
        StatusCase{"ForbiddenWithoutName", Forbidden(Pods(), "", "no"),
                   R"("message":"pods is forbidden: no","reason":"Forbidden",)"
                   R"("details":{"kind":"pods"},"code":403})"},
        StatusCase{
            "InvalidWithOneCause",
            Invalid(Pods(), "a", {{"FieldValueRequired", "Required value", "spec.containers"}}),
            R"("message":"Pod \"a\" is invalid: spec.containers: Required value",)"
            R"("reason":"Invalid","details":{"name":"a","kind":"Pod","causes":[)"
            R"({"reason":"FieldValueRequired","message":"Required value",)"
            R"("field":"spec.containers"}]},"code":422})"},
        StatusCase{"InvalidWithTwoCauses",
                   Invalid(Deployments(), "w",
                           {{"FieldValueInvalid", "Invalid value: -1: no", "spec.replicas"},
                            {"FieldValueRequired", "Required value", "spec.selector"}}),
                   R"("message":"Deployment.apps \"w\" is invalid: [spec.replicas: Invalid value: )"
                   R"(-1: no, spec.selector: Required value]","reason":"Invalid",)"
                   R"("details":{"name":"w","group":"apps","kind":"Deployment","causes":[)"
                   R"({"reason":"FieldValueInvalid","message":"Invalid value: -1: no",)"
                   R"("field":"spec.replicas"},{"reason":"FieldValueRequired",)"
                   R"("message":"Required value","field":"spec.selector"}]},"code":422})"},
        StatusCase{"BadRequestHasNoDetails", BadRequest("bad \"x\""),
                   R"("message":"bad \"x\"","reason":"BadRequest","code":400})"},
        StatusCase{"Unauthorized", Unauthorized(),
                   R"("message":"Unauthorized","reason":"Unauthorized","code":401})"},
        StatusCase{"Expired", Expired("too old resource version: 1"),
                   R"("message":"too old resource version: 1","reason":"Expired","code":410})"},
        StatusCase{"NotAcceptable", NotAcceptable("application/json"),
                   R"("message":"only the following media types are accepted: application/json",)"
                   R"("reason":"NotAcceptable","code":406})"},
        StatusCase{
            "UnsupportedMediaType", UnsupportedMediaType("", "application/json"),
            R"("message":"the body of the request was in an unknown format - accepted media )"
            R"(types include: application/json","reason":"UnsupportedMediaType","code":415})"},
        StatusCase{"RetryAfter", WithRetry(TooManyRequests("later")),
                   R"("message":"later","reason":"TooManyRequests",)"
                   R"("details":{"retryAfterSeconds":10},"code":429})"},
        StatusCase{"InternalError", InternalError("oh"),
                   R"("message":"Internal error occurred: oh","reason":"InternalError",)"
                   R"("details":{"causes":[{"message":"oh"}]},"code":500})"}),
    [](const auto& param_info) { return param_info.param.name; });

// Comparing each cause with all others would take minutes.
TEST(InvalidError, JoinsManyCausesWithoutRepeats) {
  std::vector<ApiError::Cause> causes;
  for (int i = 0; i < 300'000; ++i) {
    causes.push_back({"FieldValueInvalid", "Invalid value: " + std::to_string(i / 2), "a"});
  }
  const ApiError error = Invalid(KindOf("pods"), "a", std::move(causes));
  EXPECT_TRUE(error.message.starts_with(
      "Pod \"a\" is invalid: [a: Invalid value: 0, a: Invalid value: 1, a:"));
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::api::scheme
