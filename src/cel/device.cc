#include "cel/device.h"

#include <fmt/format.h>

#include <map>
#include <utility>
#include <vector>

#include "api/quantity.h"
#include "base/overloaded.h"
#include "base/result.h"
#include "base/semantic_version.h"
#include "cel/containers.h"

namespace berth::cel {
namespace {

// By domain and id.
using Domains = std::map<std::string_view, std::map<std::string_view, Value>>;

// Splits at the first slash; without one, the driver's is the domain.
std::pair<std::string_view, std::string_view> SplitName(std::string_view name,
                                                        std::string_view driver) {
  const size_t slash = name.find('/');
  if (slash == std::string_view::npos) return {driver, name};
  return {name.substr(0, slash), name.substr(slash + 1)};
}

Result<Value> AttributeValue(Arena& arena, const Device::Attribute& attribute) {
  return std::visit(
      Overloaded{
          [&](std::monostate) -> Result<Value> {
            return Fail(fmt::format("attribute {}: unsupported attribute value", attribute.name));
          },
          [](int64_t number) -> Result<Value> { return Value::Int(number); },
          [](bool yes) -> Result<Value> { return Value::Bool(yes); },
          [&](std::string_view text) -> Result<Value> { return Value::String(arena.Copy(text)); },
          [&](const Device::Version& version) -> Result<Value> {
            const auto parsed = SemanticVersion::Parse(arena.Copy(version.text));
            if (!parsed) {
              return Fail(fmt::format("attribute {}: parse semantic version: {}", attribute.name,
                                      parsed.error().message));
            }
            return Value::Of(arena.New<SemanticVersion>(*parsed));
          },
      },
      attribute.value);
}

// A domain that is absent is an empty map.
Value ToMap(Arena& arena, const Domains& domains, const Value& empty) {
  MapBuilder outer(arena, static_cast<uint32_t>(domains.size()));
  for (const auto& [domain, values] : domains) {
    MapBuilder inner(arena, static_cast<uint32_t>(values.size()));
    for (const auto& [id, value] : values) inner.Set(Value::String(arena.Copy(id)), value);
    outer.Set(Value::String(arena.Copy(domain)), inner.Build());
  }
  return outer.Build(arena.New<Value>(empty));
}

}  // namespace

Device::Device(const Fields& fields) : arena_(std::make_unique<Arena>()) {
  Arena& arena = *arena_;
  Domains attributes;
  for (const Attribute& attribute : fields.attributes) {
    const auto value = AttributeValue(arena, attribute);
    if (!value) {
      error_ = value.error().message;
      return;
    }
    const auto [domain, id] = SplitName(attribute.name, fields.driver);
    attributes[domain][id] = *value;
  }
  Domains capacity;
  for (const Capacity& item : fields.capacity) {
    const auto [domain, id] = SplitName(item.name, fields.driver);
    capacity[domain][id] = Value::Of(arena.New<api::Quantity>(*item.value));
  }
  MapBuilder device(arena, 4);
  device.Set(Value::String("driver"), Value::String(arena.Copy(fields.driver)));
  device.Set(Value::String("attributes"), ToMap(arena, attributes, EmptyMap()));
  device.Set(Value::String("capacity"), ToMap(arena, capacity, EmptyMap()));
  device.Set(Value::String("allowMultipleAllocations"),
             Value::Bool(fields.allow_multiple_allocations));
  value_ = device.Build();
}

}  // namespace berth::cel
