// The cells of networking, RBAC, webhooks, flow control and certificates.
#include <gtest/gtest.h>

#include "apiserver/printing/table_testing.h"

namespace berth::apiserver::printing {
namespace BERTH_TEST_FILE {

class GroupCellsTest : public testing::TestWithParam<CellCase> {};

TEST_P(GroupCellsTest, MatchKubeApiserver) { EXPECT_EQ(CellsOf(GetParam()), GetParam().want); }

const auto kName = [](const auto& param_info) { return param_info.param.name; };

INSTANTIATE_TEST_SUITE_P(
    Networking, GroupCellsTest,
    testing::Values(
        CellCase{"Ingress", "ingresses.networking.k8s.io",
                 R"(},"spec":{"ingressClassName":"nginx","rules":[{"host":"a"},{},{"host":"b"},)"
                 R"({"host":"c"},{"host":"d"}],"tls":[{}]},"status":{"loadBalancer":{"ingress":)"
                 R"([{"ip":"10.0.0.1"},{"hostname":"lb.example.com"}]}})",
                 R"("x","nginx","a,b,c + 2 more...","10.0.0.1,lb.e...","80, 443","60m")"},
        CellCase{"IngressOfAnyHost", "ingresses.networking.k8s.io",
                 R"(},"spec":{"defaultBackend":{}})", R"("x","<none>","*","","80","60m")"},
        CellCase{"DefaultIngressClass", "ingressclasses.networking.k8s.io",
                 R"(,"annotations":{"ingressclass.kubernetes.io/is-default-class":"true"}},)"
                 R"("spec":{"controller":"e.x/c","parameters":{"apiGroup":"e.x","kind":"P",)"
                 R"("name":"p"}})",
                 R"_("x (default)","e.x/c","P.e.x/p","60m")_"},
        CellCase{"IngressClass", "ingressclasses.networking.k8s.io",
                 R"(},"spec":{"controller":"e.x/c"})", R"("x","e.x/c","<none>","60m")"},
        CellCase{"NetworkPolicy", "networkpolicies.networking.k8s.io",
                 R"(},"spec":{"podSelector":{"matchLabels":{"a":"b"}}})", R"("x","a=b","60m")"},
        CellCase{"NetworkPolicyOfAllPods", "networkpolicies.networking.k8s.io",
                 R"(},"spec":{"podSelector":{}})", R"("x","<none>","60m")"},
        CellCase{"IpAddress", "ipaddresses.networking.k8s.io",
                 R"(},"spec":{"parentRef":{"resource":"Services","group":"g","namespace":"n",)"
                 R"("name":"s"}})",
                 R"("x","services.g/n/s")"},
        CellCase{"ServiceCidr", "servicecidrs.networking.k8s.io",
                 R"(},"spec":{"cidrs":["10.0.0.0/8","fd00::/64"]})",
                 R"("x","10.0.0.0/8,fd00::/64","60m")"}),
    kName);

INSTANTIATE_TEST_SUITE_P(
    Server, GroupCellsTest,
    testing::Values(
        CellCase{"Webhooks", "mutatingwebhookconfigurations.admissionregistration.k8s.io",
                 R"(},"webhooks":[{},{}])", R"("x",2,"60m")"},
        CellCase{"Policy", "validatingadmissionpolicies.admissionregistration.k8s.io",
                 R"(},"spec":{"validations":[{}],"paramKind":{"apiVersion":"v1","kind":"P"}})",
                 R"("x",1,"v1/P","60m")"},
        CellCase{"MutatingPolicy", "mutatingadmissionpolicies.admissionregistration.k8s.io",
                 R"(},"spec":{"mutations":[{},{}]})", R"("x",2,"<unset>","60m")"},
        CellCase{"PolicyBinding", "validatingadmissionpolicybindings.admissionregistration.k8s.io",
                 R"(},"spec":{"policyName":"p","paramRef":{"name":"n"}})",
                 R"("x","p","*/n","60m")"},
        CellCase{"FlowSchema", "flowschemas.flowcontrol.apiserver.k8s.io",
                 R"(},"spec":{"priorityLevelConfiguration":{"name":"p"},"matchingPrecedence":9,)"
                 R"("distinguisherMethod":{"type":"ByUser"}},)"
                 R"("status":{"conditions":[{"type":"Dangling","status":"False"}]})",
                 R"("x","p",9,"ByUser","60m","False")"},
        CellCase{
            "PriorityLevel", "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io",
            R"(},"spec":{"type":"Limited","limited":{"nominalConcurrencyShares":5,)"
            R"("limitResponse":{"queuing":{"queues":64,"handSize":6,"queueLengthLimit":50}}}})",
            R"("x","Limited",5,64,6,50,"60m")"},
        CellCase{"ExemptPriorityLevel", "prioritylevelconfigurations.flowcontrol.apiserver.k8s.io",
                 R"(},"spec":{"type":"Exempt"})",
                 R"("x","Exempt","<none>","<none>","<none>","<none>","60m")"},
        CellCase{"PendingRequest", "certificatesigningrequests.certificates.k8s.io",
                 R"(},"spec":{"signerName":"e.x/s","username":"jane","expirationSeconds":3600})",
                 R"("x","60m","e.x/s","jane","60m","Pending")"},
        CellCase{"IssuedRequest", "certificatesigningrequests.certificates.k8s.io",
                 R"(},"spec":{"signerName":"e.x/s","username":"jane"},"status":{"conditions":)"
                 R"([{"type":"Approved"}],"certificate":"AAAA"})",
                 R"("x","60m","e.x/s","jane","<none>","Approved,Issued")"},
        CellCase{"LocalApiService", "apiservices.apiregistration.k8s.io",
                 R"(},"spec":{},"status":{"conditions":[{"type":"Available","status":"True"}]})",
                 R"("x","Local","True","60m")"},
        CellCase{"MissingApiService", "apiservices.apiregistration.k8s.io",
                 R"(},"spec":{"service":{"namespace":"n","name":"s"}},"status":{"conditions":)"
                 R"([{"type":"Available","status":"False","reason":"Missing"}]})",
                 R"_("x","n/s","False (Missing)","60m")_"},
        CellCase{"PodTemplate", "podtemplates",
                 R"(},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":)"
                 R"([{"name":"c","image":"i"}]}})",
                 R"("x","c","i","a=b")"},
        CellCase{"Role", "roles.rbac.authorization.k8s.io", "}", R"("x","2026-01-01T10:00:00Z")"}),
    kName);

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::printing
