// The schemas of admission policies, webhooks, custom resource definitions and API services;
// schema_tables.h explains the format.
#include "api/scheme/schema_tables.h"

namespace berth::api::scheme {

std::string_view ExtensionSchemas() {
  return R"(
package io.k8s.api.admissionregistration.v1
type ApplyConfiguration
  1 expression string
type AuditAnnotation
  1 key! string, 2 valueExpression! string
type ExpressionWarning
  2 fieldRef! string, 3 warning! string
type JSONPatch
  1 expression string
type MatchCondition: A CEL expression that must be true for the request to be sent.
  1 name! string, 2 expression! string
type MatchResources: Selects requests by resource, namespace and labels.
  1 namespaceSelector *meta.LabelSelector, 2 objectSelector *meta.LabelSelector
  3 resourceRules []NamedRuleWithOperations, 4 excludeResourceRules []NamedRuleWithOperations
  7 matchPolicy *string(Equivalent|Exact)
kind MutatingAdmissionPolicy: Changes admitted objects with CEL expressions.
  2 spec MutatingAdmissionPolicySpec: Which requests it matches and what it changes.
kind MutatingAdmissionPolicyBinding: Puts a MutatingAdmissionPolicy into effect.
  2 spec MutatingAdmissionPolicyBindingSpec: The policy, its parameters and what it is limited to.
type MutatingAdmissionPolicyBindingSpec
  1 policyName string, 2 paramRef *ParamRef, 3 matchResources *MatchResources
type MutatingAdmissionPolicySpec
  1 paramKind *ParamKind, 2 matchConstraints *MatchResources, 3 variables []Variable
  4 mutations []Mutation, 5 failurePolicy *string(Fail|Ignore)
  6 matchConditions []MatchCondition @merge:name
  7 reinvocationPolicy string(IfNeeded|Never)
type MutatingWebhook: A webhook that may change objects.
  1 name! string, 2 clientConfig! WebhookClientConfig, 3 rules []RuleWithOperations
  4 failurePolicy *string(Fail|Ignore), 5 namespaceSelector *meta.LabelSelector
  6 sideEffects! *string(None|NoneOnDryRun)
  7 timeoutSeconds *int, 8 admissionReviewVersions! []string
  9 matchPolicy *string(Equivalent|Exact)
  10 reinvocationPolicy *string(IfNeeded|Never), 11 objectSelector *meta.LabelSelector
  12 matchConditions []MatchCondition @merge:name
kind MutatingWebhookConfiguration: Webhooks that may change objects before they are stored.
  2 webhooks []MutatingWebhook @merge:name: The webhooks, which are called one after the other.
type Mutation
  2 patchType! string(ApplyConfiguration|JSONPatch), 3 applyConfiguration *ApplyConfiguration
  4 jsonPatch *JSONPatch
type NamedRuleWithOperations
  1 resourceNames []string, 2 = RuleWithOperations
type ParamKind
  1 apiVersion string, 2 kind string
type ParamRef: Selects the objects that are the parameters of a policy.
  1 name string, 2 namespace string, 3 selector *meta.LabelSelector
  4 parameterNotFoundAction *string(Allow|Deny)
type Rule
  1 apiGroups []string, 2 apiVersions []string, 3 resources []string
  4 scope *string(*|Cluster|Namespaced)
type RuleWithOperations: Operations on resources.
  1 operations []string(*|CONNECT|CREATE|DELETE|UPDATE)
  2 = Rule
type ServiceReference
  1 namespace! string, 2 name! string, 3 path *string, 4 port *int
type TypeChecking
  1 expressionWarnings []ExpressionWarning
kind ValidatingAdmissionPolicy: Rejects requests with CEL expressions.
  2 spec ValidatingAdmissionPolicySpec: Which requests it matches and what it checks.
  3 status ValidatingAdmissionPolicyStatus: Warnings of the type checker.
kind ValidatingAdmissionPolicyBinding: Puts a ValidatingAdmissionPolicy into effect.
  2 spec! ValidatingAdmissionPolicyBindingSpec: The policy, its parameters and what it is limited to.
type ValidatingAdmissionPolicyBindingSpec
  1 policyName! string, 2 paramRef *ParamRef, 3 matchResources *MatchResources
  4 validationActions! []string(Audit|Deny|Warn)
type ValidatingAdmissionPolicySpec
  1 paramKind *ParamKind, 2 matchConstraints *MatchResources, 3 validations []Validation
  4 failurePolicy *string(Fail|Ignore), 5 auditAnnotations []AuditAnnotation
  6 matchConditions []MatchCondition @merge:name, 7 variables []Variable @merge:name
type ValidatingAdmissionPolicyStatus
  1 observedGeneration long, 2 typeChecking *TypeChecking, 3 conditions []meta.Condition
type ValidatingWebhook: A webhook that may reject requests.
  1 name! string, 2 clientConfig! WebhookClientConfig, 3 rules []RuleWithOperations
  4 failurePolicy *string(Fail|Ignore), 5 namespaceSelector *meta.LabelSelector
  6 sideEffects! *string(None|NoneOnDryRun)
  7 timeoutSeconds *int, 8 admissionReviewVersions! []string
  9 matchPolicy *string(Equivalent|Exact)
  10 objectSelector *meta.LabelSelector, 11 matchConditions []MatchCondition @merge:name
kind ValidatingWebhookConfiguration: Webhooks that may reject requests.
  2 webhooks []ValidatingWebhook @merge:name: The webhooks, which are called at the same time.
type Validation
  1 expression! string, 2 message string, 3 reason *string, 4 messageExpression string
type Variable
  1 name! string, 2 expression! string
type WebhookClientConfig: How to call a webhook: by URL or by service.
  1 service *ServiceReference, 2 caBundle bytes, 3 url *string
package io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1
type CustomResourceColumnDefinition
  1 name! string, 2 type! string, 3 format string, 4 description string, 5 priority int
  6 jsonPath! string
type CustomResourceConversion
  1 strategy! string, 2 webhook *WebhookConversion
kind CustomResourceDefinition: Defines a kind that the server serves.
  2 spec! CustomResourceDefinitionSpec: The kind, its versions and their schemas.
  3 status CustomResourceDefinitionStatus: Whether the kind is served.
type CustomResourceDefinitionCondition
  1 type! string, 2 status! string, 3 lastTransitionTime time, 4 reason string, 5 message string
  6 observedGeneration long
type CustomResourceDefinitionNames
  1 plural! string, 2 singular string, 3 shortNames []string, 4 kind! string, 5 listKind string
  6 categories []string
type CustomResourceDefinitionSpec
  1 group! string: Group of the kind.
  3 names! CustomResourceDefinitionNames: Names of the resource and the kind.
  4 scope! string(Cluster|Namespaced)
  7 versions! []CustomResourceDefinitionVersion: Versions of the kind; one of them is stored.
  9 conversion *CustomResourceConversion, 10 preserveUnknownFields bool
type CustomResourceDefinitionStatus
  1 conditions []CustomResourceDefinitionCondition, 2 acceptedNames CustomResourceDefinitionNames
  3 storedVersions []string, 4 observedGeneration long
type CustomResourceDefinitionVersion
  1 name! string, 2 served! bool, 3 storage! bool, 4 schema *CustomResourceValidation
  5 subresources *CustomResourceSubresources
  6 additionalPrinterColumns []CustomResourceColumnDefinition, 7 deprecated bool
  8 deprecationWarning *string, 9 selectableFields []SelectableField
type CustomResourceSubresources
  1 status *CustomResourceSubresourceStatus, 2 scale *CustomResourceSubresourceScale
type CustomResourceSubresourceScale
  1 specReplicasPath! string, 2 statusReplicasPath! string, 3 labelSelectorPath *string
type CustomResourceSubresourceStatus
type CustomResourceValidation
  1 openAPIV3Schema *JSONSchemaProps
type ExternalDocumentation
  1 description string, 2 url string
type JSONSchemaProps: A schema in the manner of JSON Schema.
  1 id string, 2 $schema string, 3 $ref *string, 4 description string, 5 type string
  6 format string, 7 title string, 8 default *any, 9 maximum *double, 10 exclusiveMaximum bool
  11 minimum *double, 12 exclusiveMinimum bool, 13 maxLength *long, 14 minLength *long
  15 pattern string, 16 maxItems *long, 17 minItems *long, 18 uniqueItems bool
  19 multipleOf *double, 20 enum []any, 21 maxProperties *long, 22 minProperties *long
  23 required []string, 24 items *JSONSchemaProps|list, 25 allOf []JSONSchemaProps
  26 oneOf []JSONSchemaProps, 27 anyOf []JSONSchemaProps, 28 not *JSONSchemaProps
  29 properties {}JSONSchemaProps, 30 additionalProperties *JSONSchemaProps|bool
  31 patternProperties {}JSONSchemaProps, 32 dependencies {}JSONSchemaProps|strings
  33 additionalItems *JSONSchemaProps|bool, 34 definitions {}JSONSchemaProps
  35 externalDocs *ExternalDocumentation, 36 example *any, 37 nullable bool
  38 x-kubernetes-preserve-unknown-fields *bool, 39 x-kubernetes-embedded-resource bool
  40 x-kubernetes-int-or-string bool, 41 x-kubernetes-list-map-keys []string
  42 x-kubernetes-list-type *string, 43 x-kubernetes-map-type *string
  44 x-kubernetes-validations []ValidationRule @merge:rule
type SelectableField
  1 jsonPath! string
type ServiceReference
  1 namespace! string, 2 name! string, 3 path *string, 4 port *int
type ValidationRule
  1 rule! string, 2 message string, 3 messageExpression string, 4 reason *string, 5 fieldPath string
  6 optionalOldSelf *bool
type WebhookClientConfig
  1 service *ServiceReference, 2 caBundle bytes, 3 url *string
type WebhookConversion
  2 clientConfig *WebhookClientConfig, 3 conversionReviewVersions! []string
package io.k8s.kube-aggregator.pkg.apis.apiregistration.v1
kind APIService: A group and version of the API, and the server that serves it.
  2 spec APIServiceSpec: The group version and its server.
  3 status APIServiceStatus: Whether the server is available.
type APIServiceCondition
  1 type! string, 2 status! string, 3 lastTransitionTime time, 4 reason string, 5 message string
type APIServiceSpec: A group version and its server.
  1 service *ServiceReference: The service of the server; null if this server serves the group itself.
  2 group string, 3 version string, 4 insecureSkipTLSVerify bool, 5 caBundle bytes
  7 groupPriorityMinimum! int, 8 versionPriority! int
type APIServiceStatus
  1 conditions []APIServiceCondition @merge:type
type ServiceReference
  1 namespace string, 2 name string, 3 port *int
)";
}

}  // namespace berth::api::scheme
