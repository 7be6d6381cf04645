// The functions of Kubernetes' authorization library.
//
// Device selectors have no `authorizer`, so that a call of one of these fails whatever its receiver
// is. They are declared all the same: with a receiver of unknown type they compile.
#include "cel/libraries.h"

namespace berth::cel {

void AddAuthorizationFunctions(Environment& environment) {
  TypePool& types = environment.types();
  const Type* const s = &kStringType;
  const Type* const authorizer = types.Object("kubernetes.authorization.Authorizer");
  const Type* const path = types.Object("kubernetes.authorization.PathCheck");
  const Type* const group = types.Object("kubernetes.authorization.GroupCheck");
  const Type* const resource = types.Object("kubernetes.authorization.ResourceCheck");
  const Type* const decision = types.Object("kubernetes.authorization.Decision");
  environment.Define("path").Member("authorizer_path", {authorizer, s}, path);
  environment.Define("group").Member("authorizer_group", {authorizer, s}, group);
  environment.Define("serviceAccount")
      .Member("authorizer_serviceaccount", {authorizer, s, s}, authorizer);
  environment.Define("resource").Member("groupcheck_resource", {group, s}, resource);
  for (const std::string_view name : {"subresource", "namespace", "name"}) {
    environment.Define(name).Member(name, {resource, s}, resource);
  }
  for (const std::string_view name : {"fieldSelector", "labelSelector"}) {
    environment.Define(name).Costs(CostRule::kLabelSelector).Member(name, {resource, s}, resource);
  }
  environment.Define("check")
      .Costs(CostRule::kAuthorization)
      .Member("pathcheck_check", {path, s}, decision)
      .Member("resourcecheck_check", {resource, s}, decision);
  environment.Define("errored").Member("decision_errored", {decision}, &kBoolType);
  environment.Define("error").Member("decision_error", {decision}, s);
  environment.Define("allowed").Member("decision_allowed", {decision}, &kBoolType);
  environment.Define("reason").Member("decision_reason", {decision}, s);
}

}  // namespace berth::cel
