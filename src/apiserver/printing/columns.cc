#include "apiserver/printing/columns.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/timestamp.h"
#include "apiserver/printing/table.h"

namespace berth::apiserver::printing {

std::string NameOf(api::JsonView object) { return std::string(object["metadata"]["name"].text()); }

std::string AgeOf(api::JsonView object, Instant now) {
  return Since(object["metadata"]["creationTimestamp"], now);
}

std::string Since(api::JsonView timestamp, Instant now) {
  if (timestamp.text().empty()) return "<unknown>";
  const auto then = api::ParseTimestamp(timestamp.text());
  return then ? ShortAge(now - *then) : "<unknown>";
}

bool IsBeingDeleted(api::JsonView object) { return bool(object["metadata"]["deletionTimestamp"]); }

bool HasCondition(api::JsonView conditions, std::string_view type) {
  return std::ranges::any_of(conditions.items(), [&](api::JsonView condition) {
    return condition["type"].text() == type && condition["status"].text() == "True";
  });
}

std::string Join(const std::vector<std::string>& texts, std::string_view separator) {
  return fmt::format("{}", fmt::join(texts, separator));
}

std::string FormatLabels(api::JsonView labels) {
  std::vector<std::string> texts;
  for (const auto& [key, value] : labels.fields()) {
    texts.push_back(fmt::format("{}={}", key, value.text()));
  }
  std::ranges::sort(texts);
  return texts.empty() ? "<none>" : Join(texts, ",");
}

std::string FormatSelector(api::JsonView selector) {
  std::vector<std::pair<std::string, std::string>> by_key;
  for (const auto& [key, value] : selector["matchLabels"].fields()) {
    by_key.emplace_back(key, fmt::format("{}={}", key, value.text()));
  }
  for (const api::JsonView expression : selector["matchExpressions"].items()) {
    const std::string_view key = expression["key"].text();
    const std::string_view op = expression["operator"].text();
    std::vector<std::string> values;
    for (const api::JsonView value : expression["values"].items())
      values.emplace_back(value.text());
    std::ranges::sort(values);
    std::string text(key);
    if (op == "DoesNotExist") text.insert(0, "!");
    if (op == "In") text += fmt::format(" in ({})", Join(values, ","));
    if (op == "NotIn") text += fmt::format(" notin ({})", Join(values, ","));
    by_key.emplace_back(key, std::move(text));
  }
  std::ranges::stable_sort(by_key, {}, &std::pair<std::string, std::string>::first);
  std::vector<std::string> texts;
  texts.reserve(by_key.size());
  for (auto& [key, text] : by_key) texts.push_back(std::move(text));
  return Join(texts, ",");
}

void AppendContainers(Cells& cells, api::JsonView pod_spec) {
  std::vector<std::string> names;
  std::vector<std::string> images;
  for (const api::JsonView container : pod_spec["containers"].items()) {
    names.emplace_back(container["name"].text());
    images.emplace_back(container["image"].text());
  }
  cells.emplace_back(Join(names, ","));
  cells.emplace_back(Join(images, ","));
}

std::string FirstThree(const std::vector<std::string>& texts) {
  if (texts.size() <= 3) return Join(texts, ",");
  return fmt::format("{},{},{} + {} more...", texts[0], texts[1], texts[2], texts.size() - 3);
}

Cells NameAndAge(api::JsonView object, Instant now) { return {NameOf(object), AgeOf(object, now)}; }

}  // namespace berth::apiserver::printing
