#include "api/scheme/scheme.h"

#include <algorithm>
#include <iterator>
#include <unordered_map>

#include "api/scheme/kind_tables.h"
#include "base/check.h"

namespace berth::api::scheme {
namespace {

size_t Hash(std::initializer_list<std::string_view> parts) {
  size_t hash = 0;
  for (const std::string_view part : parts) {
    hash = hash * 0x9e3779b97f4a7c15u + std::hash<std::string_view>{}(part);
  }
  return hash;
}

// Both kinds of events are representations of the same objects.
std::string CollectionName(const Kind& kind) {
  if (kind.group.empty() || kind.kind == "Event") return std::string(kind.resource);
  return std::string(kind.group) + "/" + std::string(kind.resource);
}

// The table with its indexes. Immutable once constructed.
class Table {
 public:
  Table() {
    for (auto rows : {CoreKinds(), WorkloadKinds(), StorageKinds(), AccessKinds(), ServerKinds(),
                      NetworkKinds(), OtherKinds()}) {
      std::ranges::move(rows, std::back_inserter(kinds_));
    }
    std::ranges::stable_sort(kinds_, {}, &Kind::group);
    for (Kind& kind : kinds_) {
      if (!kind.group.empty()) kind.group_version = std::string(kind.group) + "/";
      kind.group_version += kind.version;
      if (kind.stored) kind.collection = CollectionOf(kind);
    }
    for (const Kind& kind : kinds_) {
      by_resource_.emplace(Hash({kind.group, kind.version, kind.resource}), &kind);
      by_name_.emplace(Hash({kind.api_version(), kind.kind}), &kind);
      if (FindGroupResource(kind.group, kind.resource) == nullptr) {
        by_group_resource_.emplace(Hash({kind.group, kind.resource}), &kind);
      }
      if (kind.stored && kind.collection == stored_.size()) stored_.push_back(&kind);
    }
  }

  std::span<const Kind> kinds() const { return kinds_; }
  const std::vector<std::string>& collections() const { return collections_; }

  const Kind* Find(std::string_view group, std::string_view version,
                   std::string_view resource) const {
    return Find(by_resource_, Hash({group, version, resource}), [&](const Kind& kind) {
      return kind.resource == resource && kind.group == group && kind.version == version;
    });
  }
  const Kind* FindByName(std::string_view api_version, std::string_view name) const {
    return Find(by_name_, Hash({api_version, name}), [&](const Kind& kind) {
      return kind.kind == name && kind.api_version() == api_version;
    });
  }
  const Kind* FindGroupResource(std::string_view group_resource) const {
    const size_t dot = group_resource.find('.');  // Names of resources have no dots.
    const std::string_view resource = group_resource.substr(0, dot);
    const std::string_view group =
        dot == std::string_view::npos ? std::string_view() : group_resource.substr(dot + 1);
    return FindGroupResource(group, resource);
  }
  // Returns the first built-in kind of the collection.
  const Kind& StoredKind(const Kind& kind) const {
    return kind.stored ? *stored_[kind.collection] : kind;
  }

 private:
  // Keyed by hash, so that a lookup concatenates no strings; `matches` resolves collisions.
  using Index = std::unordered_multimap<size_t, const Kind*>;

  template <typename Matches>
  static const Kind* Find(const Index& index, size_t hash, Matches matches) {
    auto [at, end] = index.equal_range(hash);
    for (; at != end; ++at) {
      if (matches(*at->second)) return at->second;
    }
    return nullptr;
  }

  const Kind* FindGroupResource(std::string_view group, std::string_view resource) const {
    return Find(by_group_resource_, Hash({group, resource}),
                [&](const Kind& kind) { return kind.resource == resource && kind.group == group; });
  }

  uint32_t CollectionOf(const Kind& kind) {
    const std::string name = CollectionName(kind);
    const auto found = std::ranges::find(collections_, name);
    const auto place = found - collections_.begin();
    if (found == collections_.end()) collections_.push_back(name);
    return static_cast<uint32_t>(place);
  }

  std::vector<Kind> kinds_;
  std::vector<std::string> collections_;
  Index by_resource_;
  Index by_name_;
  Index by_group_resource_;          // The first version of each.
  std::vector<const Kind*> stored_;  // By collection.
};

const Table& TheTable() {
  static const Table table;
  return table;
}

}  // namespace

std::string Kind::group_resource() const {
  if (group.empty()) return std::string(resource);
  return std::string(resource) + "." + std::string(group);
}

const Subresource* Kind::FindSubresource(std::string_view wanted) const {
  const auto found = std::ranges::find(subresources, wanted, &Subresource::name);
  return found == subresources.end() ? nullptr : &*found;
}

std::span<const Kind> Kinds() { return TheTable().kinds(); }

const Kind* FindKind(std::string_view group, std::string_view version, std::string_view resource) {
  return TheTable().Find(group, version, resource);
}

const Kind* FindKindByName(std::string_view api_version, std::string_view kind) {
  return TheTable().FindByName(api_version, kind);
}

const Kind& KindOf(std::string_view group_resource) {
  const Kind* kind = TheTable().FindGroupResource(group_resource);
  CHECK(kind != nullptr);
  return *kind;
}

const Kind& StoredKind(const Kind& kind) {
  return kind.custom != nullptr ? *kind.custom->stored : TheTable().StoredKind(kind);
}

std::vector<std::string> CollectionNames() { return TheTable().collections(); }

}  // namespace berth::api::scheme
