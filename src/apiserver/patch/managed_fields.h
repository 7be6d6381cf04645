// metadata.managedFields: FieldSet is a set of field paths (fieldsV1), ManagedEntry is an entry
// with a manager and its fields.
//
// A path is a sequence of elements in the notation of Kubernetes: "f:spec" for a field,
// `k:{"name":"a"}` for the element of a list with these keys, `v:"x"` for a value in a set. The
// paths form a tree, whose nodes are FieldSets, too: the paths below an element.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/json.h"

namespace berth::apiserver::patch {

class FieldSet {
 public:
  using Children = std::map<std::string, FieldSet, std::less<>>;

  // Parses fieldsV1. Skips invalid parts.
  static FieldSet FromJson(const api::JsonObject& fields);
  api::JsonObject ToJson() const;

  // Reports whether the path to this node is a member of the set.
  bool owned() const { return owned_; }
  void Own() { owned_ = true; }

  // Reports whether neither this node nor any below it is a member.
  bool Empty() const { return !owned_ && children_.empty(); }
  const Children& children() const { return children_; }
  // Returns the paths below `element`, or null if there are none.
  const FieldSet* Find(std::string_view element) const;
  // Sets the paths below `element`, unless `below` is empty.
  void Put(std::string element, FieldSet below);
  // Removes `element` and all paths below it.
  void Erase(std::string_view element);

  // Adds the paths of `other`.
  void Add(FieldSet other);
  // Returns the set without the paths of `other`; paths below them stay.
  FieldSet Difference(const FieldSet& other) const;
  FieldSet Intersection(const FieldSet& other) const;

  // Returns the number of paths.
  size_t Size() const;
  // Returns the first `limit` paths as text: `.spec.containers[name="a"].image`; paths that end at
  // an element before longer ones. Shortens them to kMaxQuotedBytes (api/field_errors.h).
  std::vector<std::string> Paths(size_t limit) const;

  bool operator==(const FieldSet& other) const;

 private:
  void AddPaths(std::string& prefix, size_t limit, std::vector<std::string>& paths) const;

  bool owned_ = false;
  Children children_;  // No child is empty.
};

// An entry of metadata.managedFields: a manager and the fields that it owns.
struct ManagedEntry {
  std::string manager;
  bool applied = false;  // The operation is Apply, else Update.
  std::string api_version;
  std::string subresource;
  std::string time;  // RFC 3339.
  FieldSet fields;

  // Reports whether both are entries of the same manager, of which an object has one. Entries of
  // Apply may differ in their API version.
  bool SameManager(const ManagedEntry& other) const;
  // Returns the name in conflict errors: `"kubectl-edit" using apps/v1`.
  std::string Text() const;
};

// Returns the entries of an object. Skips invalid entries.
std::vector<ManagedEntry> ReadManagedFields(const api::JsonObject& object);

// Writes the entries that own fields into the object, in the order of Kubernetes. Removes
// managedFields if there are none.
void WriteManagedFields(std::vector<ManagedEntry> entries, api::JsonObject& object);

// Removes the fields that are never owned: kind, apiVersion and the metadata that the server sets.
FieldSet WithoutServerFields(FieldSet fields);

}  // namespace berth::apiserver::patch
