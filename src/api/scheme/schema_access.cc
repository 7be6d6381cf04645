// The schemas of reviews, certificates and flow control; schema_tables.h explains the format.
#include "api/scheme/schema_tables.h"

namespace berth::api::scheme {

std::string_view AccessSchemas() {
  return R"(
package io.k8s.api.authentication.v1
type BoundObjectReference
  1 kind string, 2 apiVersion string, 3 name string, 4 uid string
kind SelfSubjectReview: Asks who the client is.
  2 status SelfSubjectReviewStatus
type SelfSubjectReviewStatus
  1 userInfo UserInfo
kind TokenRequest: Requests a token of a service account.
  2 spec TokenRequestSpec, 3 status TokenRequestStatus
type TokenRequestSpec
  1 audiences []string, 3 boundObjectRef *BoundObjectReference, 4 expirationSeconds *long
type TokenRequestStatus
  1 token string, 2 expirationTimestamp time
kind TokenReview: Asks whose token this is.
  2 spec! TokenReviewSpec, 3 status TokenReviewStatus
type TokenReviewSpec
  1 token! string: The token.
  2 audiences []string
type TokenReviewStatus
  1 authenticated bool, 2 user UserInfo, 3 error string, 4 audiences []string
type UserInfo
  1 username string, 2 uid string, 3 groups []string, 4 extra {}strings
package io.k8s.api.authorization.v1
type FieldSelectorAttributes
  1 rawSelector string, 2 requirements []meta.FieldSelectorRequirement
type LabelSelectorAttributes
  1 rawSelector string, 2 requirements []meta.LabelSelectorRequirement
kind LocalSubjectAccessReview: Asks whether a user may do something in a namespace.
  2 spec! SubjectAccessReviewSpec, 3 status SubjectAccessReviewStatus
type NonResourceAttributes
  1 path string, 2 verb string
type NonResourceRule
  1 verbs! []string, 2 nonResourceURLs []string
type ResourceAttributes
  1 namespace string, 2 verb string, 3 group string, 4 version string, 5 resource string
  6 subresource string, 7 name string, 8 fieldSelector *FieldSelectorAttributes
  9 labelSelector *LabelSelectorAttributes
type ResourceRule
  1 verbs! []string, 2 apiGroups []string, 3 resources []string, 4 resourceNames []string
kind SelfSubjectAccessReview: Asks whether the client may do something.
  2 spec! SelfSubjectAccessReviewSpec, 3 status SubjectAccessReviewStatus
type SelfSubjectAccessReviewSpec
  1 resourceAttributes *ResourceAttributes, 2 nonResourceAttributes *NonResourceAttributes
kind SelfSubjectRulesReview: Asks what the client may do in a namespace.
  2 spec! SelfSubjectRulesReviewSpec, 3 status SubjectRulesReviewStatus
type SelfSubjectRulesReviewSpec
  1 namespace string
kind SubjectAccessReview: Asks whether a user may do something.
  2 spec! SubjectAccessReviewSpec, 3 status SubjectAccessReviewStatus
type SubjectAccessReviewSpec
  1 resourceAttributes *ResourceAttributes, 2 nonResourceAttributes *NonResourceAttributes
  3 user string, 4 groups []string, 5 extra {}strings, 6 uid string
type SubjectAccessReviewStatus
  1 allowed! bool, 2 reason string, 3 evaluationError string, 4 denied bool
type SubjectRulesReviewStatus
  1 resourceRules! []ResourceRule, 2 nonResourceRules! []NonResourceRule, 3 incomplete! bool
  4 evaluationError string
package io.k8s.api.certificates.v1
kind CertificateSigningRequest: A request to sign a certificate.
  2 spec! CertificateSigningRequestSpec: What is to be signed, and by whom.
  3 status CertificateSigningRequestStatus: Whether it is approved, and the certificate.
type CertificateSigningRequestCondition
  1 type! string: Approved, Denied or Failed.
  2 reason string, 3 message string, 4 lastUpdateTime time, 5 lastTransitionTime time
  6 status! string
type CertificateSigningRequestSpec: What is to be signed, and by whom.
  1 request! bytes: The PKCS#10 request in PEM.
  2 username string: The user that made the request; set by the server.
  3 uid string, 4 groups []string
  5 usages []string: What the key may be used for.
  6 extra {}strings
  7 signerName! string: The signer, such as kubernetes.io/kube-apiserver-client.
  8 expirationSeconds *int
type CertificateSigningRequestStatus
  1 conditions []CertificateSigningRequestCondition
  2 certificate bytes: The certificate in PEM; set by the signer.
package io.k8s.api.flowcontrol.v1
type ExemptPriorityLevelConfiguration
  1 nominalConcurrencyShares *int, 2 lendablePercent *int
type FlowDistinguisherMethod
  1 type! string(ByNamespace|ByUser)
kind FlowSchema: Assigns requests to a priority level.
  2 spec FlowSchemaSpec: Which requests, and to which priority level.
  3 status FlowSchemaStatus
type FlowSchemaCondition
  1 type string, 2 status string, 3 lastTransitionTime time, 4 reason string, 5 message string
type FlowSchemaSpec
  1 priorityLevelConfiguration! PriorityLevelConfigurationReference: The priority level of matching requests.
  2 matchingPrecedence *int: Of the schemas that match a request, the one with the smallest number is used.
  3 distinguisherMethod *FlowDistinguisherMethod, 4 rules []PolicyRulesWithSubjects
type FlowSchemaStatus
  1 conditions []FlowSchemaCondition @merge:type
type GroupSubject
  1 name! string
type LimitedPriorityLevelConfiguration
  1 nominalConcurrencyShares *int, 2 limitResponse LimitResponse, 3 lendablePercent *int
  4 borrowingLimitPercent *int
type LimitResponse
  1 type! string(Queue|Reject)
  2 queuing *QueuingConfiguration
type NonResourcePolicyRule
  1 verbs! []string, 6 nonResourceURLs! []string
type PolicyRulesWithSubjects
  1 subjects! []Subject, 2 resourceRules []ResourcePolicyRule
  3 nonResourceRules []NonResourcePolicyRule
kind PriorityLevelConfiguration: A share of the server's concurrency.
  2 spec PriorityLevelConfigurationSpec: The share, and what happens to requests beyond it.
  3 status PriorityLevelConfigurationStatus
type PriorityLevelConfigurationCondition
  1 type string, 2 status string, 3 lastTransitionTime time, 4 reason string, 5 message string
type PriorityLevelConfigurationReference
  1 name! string
type PriorityLevelConfigurationSpec
  1 type! string(Exempt|Limited)
  2 limited *LimitedPriorityLevelConfiguration, 3 exempt *ExemptPriorityLevelConfiguration
type PriorityLevelConfigurationStatus
  1 conditions []PriorityLevelConfigurationCondition @merge:type
type QueuingConfiguration
  1 queues *int, 2 handSize *int, 3 queueLengthLimit *int
type ResourcePolicyRule
  1 verbs! []string, 2 apiGroups! []string, 3 resources! []string, 4 clusterScope bool
  5 namespaces []string
type ServiceAccountSubject
  1 namespace! string, 2 name! string
type Subject
  1 kind! string(Group|ServiceAccount|User), 2 user *UserSubject, 3 group *GroupSubject
  4 serviceAccount *ServiceAccountSubject
type UserSubject
  1 name! string
)";
}

}  // namespace berth::api::scheme
