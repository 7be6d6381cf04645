// The layouts of the kinds that configure an API server: webhooks, admission policies, flow
// control, certificates and API services.
#include <fmt/format.h>

#include "apiserver/printing/columns.h"
#include "apiserver/printing/table.h"

namespace berth::apiserver::printing {
namespace {

const TableColumn kPolicyColumn = {"PolicyName", "Policy that is put into effect."};
const TableColumn kParamRefColumn = {"ParamRef", "Parameters of the policy."};
const TableColumn kParamKindColumn = {"ParamKind", "Kind of the parameters."};

Cells WebhookCells(api::JsonView object, Instant now) {
  return {NameOf(object), static_cast<int64_t>(object["webhooks"].size()), AgeOf(object, now)};
}

TableLayout WebhookLayout() {
  return {{NameColumn(), {"Webhooks", "Number of webhooks.", false, "integer"}, AgeColumn()},
          WebhookCells};
}

Cells PolicyCells(api::JsonView object, Instant now) {
  const api::JsonView spec = object["spec"];
  const api::JsonView kind = spec["paramKind"];
  return {NameOf(object),
          static_cast<int64_t>(spec["validations"].size() + spec["mutations"].size()),
          kind ? fmt::format("{}/{}", kind["apiVersion"].text(), kind["kind"].text())
               : std::string("<unset>"),
          AgeOf(object, now)};
}

Cells PolicyBindingCells(api::JsonView object, Instant now) {
  const api::JsonView given = object["spec"]["paramRef"];
  std::string parameters = "<unset>";
  if (!given["name"].text().empty()) {
    parameters = fmt::format("{}/{}", given["namespace"].text_or("*"), given["name"].text());
  } else if (given["selector"]) {
    parameters = FormatSelector(given["selector"]);
  }
  return {NameOf(object), std::string(object["spec"]["policyName"].text()), std::move(parameters),
          AgeOf(object, now)};
}

TableLayout PolicyBindingLayout() {
  return {{NameColumn(), kPolicyColumn, kParamRefColumn, AgeColumn()}, PolicyBindingCells};
}

Cells FlowSchemaCells(api::JsonView object, Instant now) {
  const api::JsonView spec = object["spec"];
  std::string dangling = "?";
  for (const api::JsonView condition : object["status"]["conditions"].items()) {
    if (condition["type"].text() == "Dangling") dangling = condition["status"].text();
  }
  return {NameOf(object),
          std::string(spec["priorityLevelConfiguration"]["name"].text()),
          spec["matchingPrecedence"].number(),
          std::string(spec["distinguisherMethod"]["type"].text_or("<none>")),
          AgeOf(object, now),
          std::move(dangling)};
}

Cells PriorityLevelCells(api::JsonView object, Instant now) {
  const auto number = [](api::JsonView value) {
    return value ? Cell(value.number()) : Cell(std::string("<none>"));
  };
  const api::JsonView limited = object["spec"]["limited"];
  const api::JsonView queuing = limited["limitResponse"]["queuing"];
  return {NameOf(object),
          std::string(object["spec"]["type"].text()),
          number(limited["nominalConcurrencyShares"]),
          number(queuing["queues"]),
          number(queuing["handSize"]),
          number(queuing["queueLengthLimit"]),
          AgeOf(object, now)};
}

std::string RequestState(api::JsonView status) {
  bool approved = false;
  bool denied = false;
  bool failed = false;
  for (const api::JsonView condition : status["conditions"].items()) {
    approved = approved || condition["type"].text() == "Approved";
    denied = denied || condition["type"].text() == "Denied";
    failed = failed || condition["type"].text() == "Failed";
  }
  std::string state = "Pending";
  if (approved) state = "Approved";
  if (denied) state = "Denied";
  if (failed) state += ",Failed";
  if (!status["certificate"].text().empty()) state += ",Issued";
  return state;
}

Cells SigningRequestCells(api::JsonView object, Instant now) {
  const api::JsonView spec = object["spec"];
  const api::JsonView expiration = spec["expirationSeconds"];
  return {NameOf(object),
          AgeOf(object, now),
          std::string(spec["signerName"].text_or("<none>")),
          std::string(spec["username"].text()),
          expiration ? ShortAge(Duration::Seconds(expiration.number())) : std::string("<none>"),
          RequestState(object["status"])};
}

Cells ApiServiceCells(api::JsonView object, Instant now) {
  std::string service = "Local";
  if (const api::JsonView given = object["spec"]["service"]) {
    service = fmt::format("{}/{}", given["namespace"].text(), given["name"].text());
  }
  std::string available = "Unknown";
  for (const api::JsonView condition : object["status"]["conditions"].items()) {
    if (condition["type"].text() != "Available") continue;
    available = condition["status"].text();
    const std::string_view reason = condition["reason"].text();
    if (available != "True" && !reason.empty()) available += fmt::format(" ({})", reason);
  }
  return {NameOf(object), std::move(service), std::move(available), AgeOf(object, now)};
}

Cells ComponentCells(api::JsonView object, Instant) {
  for (const api::JsonView condition : object["conditions"].items()) {
    if (condition["type"].text() != "Healthy") continue;
    return {NameOf(object),
            std::string(condition["status"].text() == "True" ? "Healthy" : "Unhealthy"),
            std::string(condition["message"].text()), std::string(condition["error"].text())};
  }
  return {NameOf(object), std::string("Unknown"), std::string(), std::string()};
}

}  // namespace

Layouts ServerLayouts() {
  return {
      {"mutatingwebhookconfigurations.admissionregistration.k8s.io", WebhookLayout()},
      {"validatingwebhookconfigurations.admissionregistration.k8s.io", WebhookLayout()},
      {"validatingadmissionpolicies.admissionregistration.k8s.io",
       {{NameColumn(),
         {"Validations", "Number of validations.", false, "integer"},
         kParamKindColumn,
         AgeColumn()},
        PolicyCells}},
      {"mutatingadmissionpolicies.admissionregistration.k8s.io",
       {{NameColumn(),
         {"Mutations", "Number of mutations.", false, "integer"},
         kParamKindColumn,
         AgeColumn()},
        PolicyCells}},
      {"validatingadmissionpolicybindings.admissionregistration.k8s.io", PolicyBindingLayout()},
      {"mutatingadmissionpolicybindings.admissionregistration.k8s.io", PolicyBindingLayout()},
      {"flowschemas.flowcontrol.apiserver.k8s.io",
       {{NameColumn(),
         {"PriorityLevel", "Priority level of the requests."},
         {"MatchingPrecedence", "The smallest number of all that match is used."},
         {"DistinguisherMethod", "What separates the flows."},
         AgeColumn(),
         {"MissingPL", "Whether the priority level does not exist."}},
        FlowSchemaCells}},
      {"prioritylevelconfigurations.flowcontrol.apiserver.k8s.io",
       {{NameColumn(),
         {"Type", "Exempt or Limited."},
         {"NominalConcurrencyShares", "Share of the concurrency."},
         {"Queues", "Number of queues."},
         {"HandSize", "Number of queues of a flow."},
         {"QueueLengthLimit", "Number of requests in a queue."},
         AgeColumn()},
        PriorityLevelCells}},
      {"certificatesigningrequests.certificates.k8s.io",
       {{NameColumn(),
         AgeColumn(),
         {"SignerName", "Signer of the certificate."},
         {"Requestor", "User that made the request."},
         {"RequestedDuration", "Requested duration of the certificate."},
         {"Condition", "Whether it is approved and issued."}},
        SigningRequestCells}},
      {"apiservices.apiregistration.k8s.io",
       {{NameColumn(),
         {"Service", "Service of the API."},
         {"Available", "Whether the API is available."},
         AgeColumn()},
        ApiServiceCells}},
      {"componentstatuses",
       {{NameColumn(),
         {"Status", "Health of the component."},
         {"Message", "Message of the component."},
         {"Error", "Error of the component."}},
        ComponentCells}},
  };
}

}  // namespace berth::apiserver::printing
