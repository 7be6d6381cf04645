#include "scheduler/plugins/explanation_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "api/quantity.h"

namespace berth::scheduler::plugins {
namespace {

struct KnownKey {
  std::string_view key, word;
};
constexpr std::array<KnownKey, 5> kKnownKeys = {{
    {kHostnameKey, "node"},
    {"topology.kubernetes.io/zone", "zone"},
    {"topology.kubernetes.io/region", "region"},
    {"failure-domain.beta.kubernetes.io/zone", "zone"},
    {"failure-domain.beta.kubernetes.io/region", "region"},
}};

std::string WhyTermFails(const api::CompiledNodeTerm& term, const api::StringMap& labels,
                         std::string_view node_name) {
  for (const api::Requirement& requirement : term.labels) {
    if (requirement.Matches(labels)) continue;
    return fmt::format("requires {}, {}", FormatSelector(requirement),
                       FormatActualLabel(labels, requirement.key));
  }
  if (node_name.empty()) return "";
  for (const auto& field : term.fields) {
    const bool holds =
        (field.value == (field.key == "metadata.name" ? node_name : "")) == field.equal;
    if (!holds)
      return fmt::format("requires {}{}{}", field.key, field.equal ? "=" : "!=", field.value);
  }
  return "";
}

}  // namespace

std::string FormatCount(int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string FormatBytes(int64_t bytes) {
  constexpr size_t kShort = 6;
  std::string exact = api::Quantity::FromValue(bytes, api::Quantity::Format::kBinarySI).ToString();
  constexpr std::array<std::string_view, 6> kUnits = {"Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  double amount = static_cast<double>(bytes) / 1024;
  if (exact.size() <= kShort || amount < 1) return exact;
  size_t unit = 0;
  for (; amount >= 1024 && unit + 1 < kUnits.size(); ++unit) amount /= 1024;
  return fmt::format("{:.1f}{}", amount, kUnits[unit]);
}

std::string FormatAmount(std::string_view resource, int64_t amount) {
  if (resource == "cpu") return api::Quantity::FromMilli(amount).ToString();
  const bool in_bytes =
      resource == "memory" || resource == "ephemeral-storage" || resource.starts_with("hugepages-");
  return in_bytes ? FormatBytes(amount) : fmt::format("{}", amount);
}

std::string FormatRequestedStorage(const api::PersistentVolumeClaim& claim) {
  const auto found = claim.requests.find("storage");
  return found == claim.requests.end() ? "" : found->second.ToString();
}

std::string FormatSelector(const api::Requirement& requirement) {
  const std::string& key = requirement.key;
  const auto& values = requirement.values;
  switch (requirement.op) {
    case api::SelectorOp::kIn:
      if (values.size() == 1) return fmt::format("{}={}", key, values[0]);
      return fmt::format("{} in ({})", key, fmt::join(values, ", "));
    case api::SelectorOp::kNotIn:
      if (values.size() == 1) return fmt::format("{}!={}", key, values[0]);
      return fmt::format("{} notin ({})", key, fmt::join(values, ", "));
    case api::SelectorOp::kExists:
      return key;
    case api::SelectorOp::kDoesNotExist:
      return "!" + key;
    case api::SelectorOp::kGt:
      return fmt::format("{}>{}", key, requirement.bound);
    case api::SelectorOp::kLt:
      return fmt::format("{}<{}", key, requirement.bound);
  }
  return key;
}

std::string FormatSelector(const api::Selector& selector) {
  if (selector.nothing()) return "labels that nothing has";
  if (selector.empty()) return "any labels";
  std::vector<std::string> words;
  for (const api::Requirement& requirement : selector.requirements()) {
    words.push_back(FormatSelector(requirement));
  }
  return fmt::format("{}", fmt::join(words, ","));
}

std::string FormatSelector(const std::optional<api::LabelSelector>& selector) {
  const auto compiled = api::Selector::FromLabelSelector(selector);
  return compiled ? FormatSelector(*compiled) : "a selector that does not parse";
}

std::string FormatActualLabel(const api::StringMap& labels, const std::string& key) {
  const auto found = labels.find(key);
  if (found == labels.end()) return fmt::format("the node has no label {}", key);
  return fmt::format("the node has {}={}", key, found->second);
}

std::string WhyNoTermMatches(const api::NodeSelector& selector, const api::StringMap& labels,
                             std::string_view node_name) {
  std::vector<std::string> whys;
  const auto compiled = api::CompiledNodeSelector::MakeLazy(selector);
  for (const api::CompiledNodeTerm& term : compiled.terms()) {
    std::string why = WhyTermFails(term, labels, node_name);
    if (!why.empty() && std::ranges::count(whys, why) == 0) whys.push_back(std::move(why));
  }
  if (whys.empty()) return "has no term that a node could match";
  return fmt::format("{}", fmt::join(whys, "; or "));
}

std::string FormatDomain(std::string_view key, std::string_view value) {
  const auto known = std::ranges::find(kKnownKeys, key, &KnownKey::key);
  return fmt::format("{} \"{}\"", known == kKnownKeys.end() ? key : known->word, value);
}

std::string InDomain(std::string_view key, std::string_view value) {
  return (key == kHostnameKey ? "on " : "in ") + FormatDomain(key, value);
}

}  // namespace berth::scheduler::plugins
