// The schema of CustomResourceDefinitions.
#include "api/scheme/schema_tables.h"

namespace berth::api::scheme {

std::string_view ExtensionSchemas() {
  return R"(
package io.k8s.api.apiextensions.v1
type CustomResourceColumnDefinition: A column that kubectl get prints.
  description string, format string
  jsonPath! string: Where the value is in an object: .spec.replicas
  name! string: Header of the column.
  priority int: 0 for columns that are always shown, more for those of -o wide.
  type! string: string, integer, number, boolean or date.
type CustomResourceConversion: How objects are converted between versions.
  strategy! string: None changes only apiVersion.
  webhook WebhookConversion
kind CustomResourceDefinition: Defines a resource that the server then serves.
  spec! CustomResourceDefinitionSpec: Names, scope and versions of the resource.
  status CustomResourceDefinitionStatus: What the server has made of it.
type CustomResourceDefinitionCondition
  lastTransitionTime time, message string, reason string, status! string, type! string
  observedGeneration long
type CustomResourceDefinitionNames: Names of a resource.
  categories []string: Groups of resources that the resource belongs to, such as all.
  kind! string: Kind of its objects, in CamelCase.
  listKind string: Kind of their lists; by default the kind followed by List.
  plural! string: Name in paths and in kubectl.
  shortNames []string: Short names in kubectl.
  singular string: By default the kind in lower case.
type CustomResourceDefinitionSpec: A resource.
  conversion CustomResourceConversion: Conversion between versions.
  group! string: API group, a domain.
  names! CustomResourceDefinitionNames: Names of the resource.
  preserveUnknownFields bool
  scope! string: Namespaced or Cluster.
  versions! []CustomResourceDefinitionVersion: Versions, exactly one of which is stored.
type CustomResourceDefinitionStatus: State of a definition.
  acceptedNames CustomResourceDefinitionNames: Names under which the resource is served.
  conditions []CustomResourceDefinitionCondition: NamesAccepted, Established and others.
  observedGeneration long
  storedVersions []string: Versions in which objects may be stored.
type CustomResourceDefinitionVersion: A version of a resource.
  additionalPrinterColumns []CustomResourceColumnDefinition: Columns of kubectl get.
  deprecated bool: Requests get a warning.
  deprecationWarning string
  name! string: Name of the version, such as v1.
  schema CustomResourceValidation: Schema of the objects.
  selectableFields []SelectableField: Fields that field selectors may use.
  served! bool: The version is served.
  storage! bool: Objects are stored in this version.
  subresources CustomResourceSubresources: Subresources status and scale.
type CustomResourceSubresourceScale
  labelSelectorPath string, specReplicasPath! string, statusReplicasPath! string
type CustomResourceSubresources
  scale CustomResourceSubresourceScale: Fields of the scale.
  status object: Enables the status subresource.
type CustomResourceValidation
  openAPIV3Schema JSONSchemaProps: Structural schema.
type ExternalDocumentation
  description string, url string
type JSONSchemaProps: A schema of OpenAPI v3.
  $ref string, $schema string, additionalItems any, additionalProperties any
  allOf []JSONSchemaProps, anyOf []JSONSchemaProps, default any
  definitions {}JSONSchemaProps, dependencies {}any, description string, enum []any
  example any, exclusiveMaximum bool, exclusiveMinimum bool
  externalDocs ExternalDocumentation, format string, id string, items JSONSchemaProps
  maxItems long, maxLength long, maxProperties long, maximum double, minItems long
  minLength long, minProperties long, minimum double, multipleOf double, not JSONSchemaProps
  nullable bool, oneOf []JSONSchemaProps, pattern string
  patternProperties {}JSONSchemaProps, properties {}JSONSchemaProps, required []string
  title string, type string, uniqueItems bool, x-kubernetes-embedded-resource bool
  x-kubernetes-int-or-string bool, x-kubernetes-list-map-keys []string
  x-kubernetes-list-type string, x-kubernetes-map-type string
  x-kubernetes-preserve-unknown-fields bool, x-kubernetes-validations []ValidationRule
type SelectableField
  jsonPath! string
type ServiceReference
  name! string, namespace! string, path string, port int
type ValidationRule: A rule in CEL.
  fieldPath string, message string, messageExpression string, optionalOldSelf bool
  reason string, rule! string
type WebhookClientConfig
  caBundle bytes, service ServiceReference, url string
type WebhookConversion
  clientConfig WebhookClientConfig, conversionReviewVersions! []string
)";
}

}  // namespace berth::api::scheme
