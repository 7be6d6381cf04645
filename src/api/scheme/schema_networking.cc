// The schemas of networking.k8s.io; schema_tables.h explains the format.
#include "api/scheme/schema_tables.h"

namespace berth::api::scheme {

std::string_view NetworkingSchemas() {
  return R"(
package io.k8s.api.networking.v1
type HTTPIngressPath
  1 path string, 2 backend! IngressBackend
  3 pathType! *string(Exact|ImplementationSpecific|Prefix)
type HTTPIngressRuleValue
  1 paths! []HTTPIngressPath
kind Ingress: Routes HTTP requests from outside to services.
  2 spec IngressSpec: The rules.
  3 status IngressStatus: Addresses of the load balancer.
type IngressBackend
  3 resource *core.TypedLocalObjectReference, 4 service *IngressServiceBackend
kind IngressClass: A class of Ingresses and its controller.
  2 spec IngressClassSpec: The controller and its parameters.
type IngressClassParametersReference
  1 apiGroup *string, 2 kind! string, 3 name! string, 4 scope *string(Cluster|Namespace)
  5 namespace *string
type IngressClassSpec
  1 controller string: Name of the controller, such as example.com/ingress-controller.
  2 parameters *IngressClassParametersReference
type IngressLoadBalancerIngress
  1 ip string, 2 hostname string, 4 ports []IngressPortStatus
type IngressLoadBalancerStatus
  1 ingress []IngressLoadBalancerIngress
type IngressPortStatus
  1 port! int, 2 protocol! string, 3 error *string
type IngressRule
  1 host string, 2 = IngressRuleValue
type IngressRuleValue
  1 http *HTTPIngressRuleValue
type IngressServiceBackend
  1 name! string, 2 port ServiceBackendPort
type IngressSpec: The rules of an Ingress.
  1 defaultBackend *IngressBackend: The backend of requests that match no rule.
  2 tls []IngressTLS: Certificates by host.
  3 rules []IngressRule: Backends by host and path.
  4 ingressClassName *string: The class whose controller implements the Ingress.
type IngressStatus
  1 loadBalancer IngressLoadBalancerStatus
type IngressTLS
  1 hosts []string, 2 secretName string
kind IPAddress: An address that is in use, usually by a service.
  2 spec! IPAddressSpec: What uses the address.
type IPAddressSpec
  1 parentRef! *ParentReference
type IPBlock
  1 cidr! string, 2 except []string
kind NetworkPolicy: Which traffic pods may receive and send.
  2 spec NetworkPolicySpec: The pods and the rules.
type NetworkPolicyEgressRule
  1 ports []NetworkPolicyPort, 2 to []NetworkPolicyPeer
type NetworkPolicyIngressRule
  1 ports []NetworkPolicyPort, 2 from []NetworkPolicyPeer
type NetworkPolicyPeer
  1 podSelector *meta.LabelSelector, 2 namespaceSelector *meta.LabelSelector, 3 ipBlock *IPBlock
type NetworkPolicyPort
  1 protocol *string(SCTP|TCP|UDP), 2 port *intOrString, 3 endPort *int
type NetworkPolicySpec: The pods and the rules of a NetworkPolicy.
  1 podSelector meta.LabelSelector: The pods of the policy; all of the namespace if empty.
  2 ingress []NetworkPolicyIngressRule, 3 egress []NetworkPolicyEgressRule
  4 policyTypes []string(Egress|Ingress)
type ParentReference
  1 group string, 2 resource! string, 3 namespace string, 4 name! string
type ServiceBackendPort
  1 name string, 2 number int
kind ServiceCIDR: Ranges of addresses for services.
  2 spec ServiceCIDRSpec: The ranges.
  3 status ServiceCIDRStatus: Whether the ranges are in use.
type ServiceCIDRSpec
  1 cidrs []string
type ServiceCIDRStatus
  1 conditions []meta.Condition @merge:type
)";
}

}  // namespace berth::api::scheme
