#include "cmd/conformance_api_cases.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/json/decode.h"
#include "api/json/document.h"
#include "api/quantity.h"
#include "api/selector.h"

namespace berth::cmd {
namespace {

using Value = JsonFields::Value;

void Check(Differences& into, std::string what, const std::string& expected,
           const std::string& actual) {
  if (expected != actual) into.push_back({std::move(what), expected, actual});
}

std::string MatchText(const Result<bool>& matches) {
  if (!matches) return "an error";
  return *matches ? "match" : "no match";
}

// Returns the recorded result: true or false under `matches`, or an error under `error`.
std::string ReadMatch(JsonFields& json, Value row, std::string_view matches,
                      std::string_view error) {
  if (json.Find(row, error)) return "an error";
  json.Require(row, matches);
  return json.Bool(row, matches) ? "match" : "no match";
}

api::StringMap ReadLabels(JsonFields& json, Value row) {
  api::StringMap labels;
  for (const auto& [key, value] : json.Fields(row, "labels")) {
    if (!value.value()->is_string()) json.AddError(key, "must be a string");
    labels.emplace(key, value.text());
  }
  return labels;
}

// Returns a pod with this spec, to decode part of a pod spec with the ordinary decoder.
Result<api::Ref<api::Pod>> PodWith(const std::string& spec) {
  return api::DecodeJsonAs<api::Pod>(fmt::format(
      R"({{"apiVersion":"v1","kind":"Pod","metadata":{{"name":"p"}},"spec":{}}})", spec));
}

Result<Differences> RunLabelSelector(Value row) {
  JsonFields json;
  const auto text = json.Find(row, "selector");
  const auto pod = PodWith(fmt::format(
      R"({{"topologySpreadConstraints":[{{"maxSkew":1,"topologyKey":"k","whenUnsatisfiable":"DoNotSchedule","labelSelector":{}}}]}})",
      text ? JsonText(*text) : "null"));
  if (!pod) return std::unexpected(pod.error());
  const api::StringMap labels = ReadLabels(json, row);
  const std::string expected = ReadMatch(json, row, "matches", "error");
  if (const Status status = json.status(); !status) return std::unexpected(status.error());

  const auto selector = api::Selector::FromLabelSelector(
      (*pod)->spec.topology_spread_constraints.at(0).label_selector);
  const Result<bool> actual =
      selector ? Result<bool>(selector->Matches(labels)) : std::unexpected(selector.error());
  Differences differences;
  Check(differences, "matches", expected, MatchText(actual));
  return differences;
}

Result<Differences> RunNodeSelector(Value row) {
  JsonFields json;
  const auto pod = PodWith(fmt::format(
      R"({{"affinity":{{"nodeAffinity":{{"requiredDuringSchedulingIgnoredDuringExecution":{}}}}}}})",
      JsonText(json.Require(row, "nodeSelector"))));
  if (!pod) return std::unexpected(pod.error());
  const api::StringMap labels = ReadLabels(json, row);
  const std::string name = json.String(row, "nodeName");
  const std::string expected = ReadMatch(json, row, "matches", "error");
  const std::string expected_lazy = ReadMatch(json, row, "lazyMatches", "lazyError");
  if (const Status status = json.status(); !status) return std::unexpected(status.error());

  const api::NodeSelector& selector = *(*pod)->spec.affinity->node_affinity->required;
  const auto strict = api::CompiledNodeSelector::Make(selector);
  const Result<bool> actual =
      strict ? Result<bool>(strict->Matches(labels, name)) : std::unexpected(strict.error());
  const auto lazy = api::CompiledNodeSelector::MakeLazy(selector);
  Result<bool> actual_lazy = lazy.Matches(labels, name);
  if (!*actual_lazy && lazy.parse_error()) actual_lazy = std::unexpected(*lazy.parse_error());
  Differences differences;
  Check(differences, "matches", expected, MatchText(actual));
  Check(differences, "lazyMatches", expected_lazy, MatchText(actual_lazy));
  return differences;
}

Result<Differences> RunToleration(Value row) {
  JsonFields json;
  const auto pod =
      PodWith(fmt::format(R"({{"tolerations":[{}]}})", JsonText(json.Require(row, "toleration"))));
  if (!pod) return std::unexpected(pod.error());
  const Value taint_value = json.Require(row, "taint");
  const api::Taint taint{.key = json.String(taint_value, "key"),
                         .value = json.String(taint_value, "value"),
                         .effect = json.String(taint_value, "effect")};
  const std::string expected = ReadMatch(json, row, "matches", "error");
  if (const Status status = json.status(); !status) return std::unexpected(status.error());
  Differences differences;
  Check(differences, "matches", expected,
        MatchText(api::Tolerates((*pod)->spec.tolerations.at(0), taint)));
  return differences;
}

}  // namespace

Result<Differences> RunQuantity(Value row) {
  JsonFields json;
  json.Require(row, "s");
  const std::string text = json.String(row, "s");
  const bool valid = json.Bool(row, "ok");
  const std::string error = json.String(row, "error");
  if (const Status status = json.status(); !status) return std::unexpected(status.error());

  Differences differences;
  const auto quantity = api::Quantity::Parse(text);
  const std::string what = fmt::format("parse \"{}\"", text);
  if (!quantity || !valid) {
    Check(differences, what, valid ? "a number" : error,
          quantity ? "a number" : quantity.error().message);
    return differences;
  }
  auto check = [&](const char* field, int64_t actual) {
    Check(differences, fmt::format("{} of \"{}\"", field, text),
          fmt::format("{}", json.Int(row, field)), fmt::format("{}", actual));
  };
  Check(differences, fmt::format("canonical of \"{}\"", text), json.String(row, "canonical"),
        quantity->ToString());
  check("sign", quantity->Sign());
  if (!json.Bool(row, "valueOverflow")) check("value", quantity->Value());
  if (!json.Bool(row, "milliOverflow")) check("milli", quantity->MilliValue());
  if (const Status status = json.status(); !status) return std::unexpected(status.error());
  return differences;
}

Result<Differences> RunSelector(Value row) {
  JsonFields json;
  const std::string kind = json.String(row, "kind");
  if (kind == "labelSelector") return RunLabelSelector(row);
  if (kind == "nodeSelector") return RunNodeSelector(row);
  return RunToleration(row);
}

}  // namespace berth::cmd
