// ObjectName is an api::ObjectKey that refers to strings of others, to look objects up without
// copying their names; ObjectNameHash and ObjectNameEqual are for containers of either.
#pragma once

#include <bit>
#include <cstddef>
#include <string_view>

#include "api/meta.h"
#include "base/string_hash.h"

namespace berth::scheduler::model {

struct ObjectName {
  std::string_view namespace_;
  std::string_view name;

  ObjectName(std::string_view in_namespace, std::string_view named)
      : namespace_(in_namespace), name(named) {}
  ObjectName(const api::ObjectKey& key) : namespace_(key.namespace_), name(key.name) {}  // NOLINT
  explicit ObjectName(const api::ObjectMeta& meta) : namespace_(meta.namespace_), name(meta.name) {}
  friend bool operator==(const ObjectName&, const ObjectName&) = default;
};

struct ObjectNameHash {
  using is_transparent = void;
  size_t operator()(const ObjectName& name) const {
    const StringHash hash;
    return hash(name.name) ^ std::rotl(hash(name.namespace_), 1);
  }
};

struct ObjectNameEqual {
  using is_transparent = void;
  bool operator()(const ObjectName& a, const ObjectName& b) const { return a == b; }
};

}  // namespace berth::scheduler::model
