#include "api/scheme/kind_set.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace berth::api::scheme {
namespace {

// A version of the form v1, v1beta2 or v1alpha1.
struct ParsedVersion {
  int stability = 0;  // 2: stable, 1: beta, 0: alpha.
  uint64_t major = 0;
  uint64_t minor = 0;
  friend auto operator<=>(const ParsedVersion&, const ParsedVersion&) = default;
};

// Removes a number without leading zeros from the front of `text`.
std::optional<uint64_t> TakeNumber(std::string_view& text) {
  if (text.empty() || text.front() < '1' || text.front() > '9') return std::nullopt;
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return number;
}

std::optional<ParsedVersion> ParseVersion(std::string_view text) {
  if (!text.starts_with('v')) return std::nullopt;
  text.remove_prefix(1);
  const auto major = TakeNumber(text);
  if (!major) return std::nullopt;
  if (text.empty()) return ParsedVersion{2, *major, 0};
  const int stability = text.starts_with("beta") ? 1 : 0;
  if (stability == 0 && !text.starts_with("alpha")) return std::nullopt;
  text.remove_prefix(stability == 1 ? 4 : 5);
  const auto minor = TakeNumber(text);
  if (!minor || !text.empty()) return std::nullopt;
  return ParsedVersion{stability, *major, *minor};
}

using Key = std::array<std::string_view, 3>;

Key ResourceKey(const KindPtr& kind) { return {kind->group, kind->version, kind->resource}; }
Key NameKey(const KindPtr& kind) { return {kind->api_version(), kind->kind}; }
uint32_t CollectionOf(const KindPtr& kind) { return kind->collection; }

// Returns the kind with the key, or null. `kinds` are sorted by `key_of`.
KindPtr FindIn(std::span<const KindPtr> kinds, const Key& key, Key (*key_of)(const KindPtr&)) {
  const auto found = std::ranges::lower_bound(kinds, key, {}, key_of);
  return found != kinds.end() && key_of(*found) == key ? *found : nullptr;
}

bool IsListedBefore(const Kind* a, const Kind* b) {
  if (a->group != b->group) return a->group < b->group;
  if (a->version != b->version) return IsPreferredVersion(a->version, b->version);
  return a->resource < b->resource;
}

}  // namespace

bool IsPreferredVersion(std::string_view a, std::string_view b) {
  const auto x = ParseVersion(a);
  const auto y = ParseVersion(b);
  if (x && y) return *x > *y;
  if (x || y) return x.has_value();
  return a < b;
}

KindSet::KindSet(std::vector<KindPtr> custom, uint64_t revision, bool alpha_workloads)
    : revision_(revision), alpha_workloads_(alpha_workloads), by_resource_(std::move(custom)) {
  std::erase_if(by_resource_, [](const KindPtr& kind) {
    return FindKind(kind->group, kind->version, kind->resource) != nullptr ||
           FindKindByName(kind->api_version(), kind->kind) != nullptr;
  });
  for (const Kind& kind : Kinds()) {
    if (IsServed(kind)) all_.push_back(&kind);
  }
  const auto first = static_cast<std::ptrdiff_t>(all_.size());
  for (const KindPtr& kind : by_resource_) all_.push_back(kind.get());
  std::ranges::sort(all_.begin() + first, all_.end(), IsListedBefore);
  // Merges them with the built-in groups; a built-in kind comes first in its group.
  std::ranges::inplace_merge(all_, all_.begin() + first, {}, &Kind::group);
  for (const Kind& kind : Kinds()) {
    if (kind.stored && IsServed(kind) && &StoredKind(kind) == &kind) stored_.push_back(RefTo(kind));
  }
  for (const KindPtr& kind : by_resource_) stored_.emplace_back(kind, &StoredKind(*kind));
  std::ranges::sort(stored_, {}, CollectionOf);
  const auto repeated = std::ranges::unique(stored_, {}, CollectionOf);
  stored_.erase(repeated.begin(), repeated.end());
  by_name_ = by_resource_;
  std::ranges::sort(by_resource_, {}, ResourceKey);
  std::ranges::sort(by_name_, {}, NameKey);
}

KindPtr KindSet::Find(std::string_view group, std::string_view version,
                      std::string_view resource) const {
  if (const Kind* kind = FindKind(group, version, resource); kind != nullptr && IsServed(*kind))
    return RefTo(*kind);
  return FindIn(by_resource_, {group, version, resource}, ResourceKey);
}

KindPtr KindSet::FindByName(std::string_view api_version, std::string_view kind) const {
  if (const Kind* built_in = FindKindByName(api_version, kind);
      built_in != nullptr && IsServed(*built_in))
    return RefTo(*built_in);
  return FindIn(by_name_, {api_version, kind}, NameKey);
}

}  // namespace berth::api::scheme
