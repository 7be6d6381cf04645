#include "cmd/conformance_cel_cases.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/json/document.h"
#include "api/quantity.h"
#include "cel/device.h"
#include "cel/device_selector.h"

namespace berth::cmd {
namespace {

using Value = JsonFields::Value;

// A device, with the texts and quantities that its fields refer to.
struct RowDevice {
  std::string driver;
  bool allow_multiple_allocations = false;
  std::deque<std::string> texts;
  std::deque<api::Quantity> quantities;
  std::vector<cel::Device::Attribute> attributes;
  std::vector<cel::Device::Capacity> capacity;

  cel::Device Make() const {
    return cel::Device({.driver = driver,
                        .allow_multiple_allocations = allow_multiple_allocations,
                        .attributes = attributes,
                        .capacity = capacity});
  }
};

cel::Device::Attribute ReadAttribute(JsonFields& json, RowDevice& device, const std::string& name,
                                     Value value) {
  cel::Device::Attribute attribute{.name = device.texts.emplace_back(name), .value = {}};
  if (json.Find(value, "int")) {
    attribute.value = json.Int(value, "int");
  } else if (json.Find(value, "bool")) {
    attribute.value = json.Bool(value, "bool");
  } else if (json.Find(value, "string")) {
    attribute.value = std::string_view(device.texts.emplace_back(json.String(value, "string")));
  } else if (json.Find(value, "version")) {
    attribute.value =
        cel::Device::Version{device.texts.emplace_back(json.String(value, "version"))};
  }
  return attribute;
}

RowDevice ReadRowDevice(JsonFields& json, Value row) {
  RowDevice device;
  const Value value = json.Require(row, "device");
  device.driver = json.String(value, "driver");
  device.allow_multiple_allocations = json.Bool(value, "allowMultipleAllocations");
  for (const auto& [name, attribute] : json.Fields(value, "attributes")) {
    device.attributes.push_back(ReadAttribute(json, device, name, attribute));
  }
  for (const auto& [name, capacity] : json.Fields(value, "capacity")) {
    const auto quantity = api::Quantity::Parse(json.String(capacity, "value"));
    if (!quantity) json.AddError(name, "must be a quantity");
    device.capacity.push_back(
        {.name = device.texts.emplace_back(name),
         .value = &device.quantities.emplace_back(quantity ? *quantity : api::Quantity())});
  }
  return device;
}

std::string ExpectedOutcome(JsonFields& json, Value row) {
  if (json.Find(row, "error")) return json.String(row, "error") + " error";
  json.Require(row, "result");
  return json.Bool(row, "result") ? "true" : "false";
}

std::string OutcomeText(const cel::DeviceSelector::Outcome& outcome) {
  if (outcome.matches) return *outcome.matches ? "true" : "false";
  const bool by_cost = outcome.matches.error().kind == cel::EvaluationError::Kind::kCost;
  return by_cost ? "cost error" : "runtime error";
}

// The actual cost or the estimate of a row; nullopt if it has none.
std::optional<std::string> CostField(Value row, std::string_view name) {
  JsonFields json;
  const auto field = json.Find(row, name);
  if (!field) return std::nullopt;
  const std::string text = JsonText(*field);
  return text == "\"overflow\"" ? std::to_string(UINT64_MAX) : text;
}

void CheckEqual(Differences& into, std::string what, const std::string& expected,
                std::string actual) {
  if (expected != actual) into.push_back({std::move(what), expected, std::move(actual)});
}

}  // namespace

Result<Differences> RunDeviceSelector(Value row, bool paranoid) {
  JsonFields json;
  json.Require(row, "expression");
  const std::string expression = json.String(row, "expression");
  const RowDevice fields = ReadRowDevice(json, row);
  const std::string expected = ExpectedOutcome(json, row);
  if (const Status status = json.status(); !status) return std::unexpected(status.error());

  Differences differences;
  const auto selector = cel::DeviceSelector::Compile(expression);
  if (!selector) {
    CheckEqual(differences, "result", expected, "compile error");
    if (!differences.empty()) differences.back().actual += ": " + selector.error().message;
    return differences;
  }
  const cel::Device device = fields.Make();
  const auto outcome = selector->Evaluate(device);
  CheckEqual(differences, "result", expected, OutcomeText(outcome));
  if (!differences.empty() && !outcome.matches) {
    differences.back().actual += ": " + outcome.matches.error().message;
  }
  if (const auto cost = CostField(row, "cost")) {
    CheckEqual(differences, "cost", *cost, std::to_string(outcome.cost));
  }
  const auto estimate =
      cel::DeviceSelector::EstimateCost(expression, cel::DeviceSelector::Scope::kStored);
  if (const auto cost = CostField(row, "estimatedCost"); cost && estimate) {
    CheckEqual(differences, "estimatedCost", *cost, std::to_string(*estimate));
  }
  if (paranoid) {
    const auto again = selector->Evaluate(device);
    CheckEqual(differences, "second result", OutcomeText(outcome), OutcomeText(again));
    CheckEqual(differences, "second cost", std::to_string(outcome.cost),
               std::to_string(again.cost));
  }
  return differences;
}

}  // namespace berth::cmd
