// FieldSet is a set of paths into an object, as managedFields has them (fields v1).
//
// A path is a sequence of elements, each written as Kubernetes writes it: "f:spec" for a field,
// `k:{"name":"a"}` for the element of a list with these keys, `v:"x"` for a value in a set. The
// paths form a tree, whose nodes are FieldSets, too: what lies below an element.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/json.h"

namespace berth::apiserver::patch {

class FieldSet {
 public:
  using Children = std::map<std::string, FieldSet, std::less<>>;

  // Reads the form of fieldsV1. What makes no sense there is passed over.
  static FieldSet FromJson(const api::JsonObject& fields);
  api::JsonObject ToJson() const;

  // Whether the path that leads here is a member.
  bool owned() const { return owned_; }
  void Own() { owned_ = true; }

  // No path, neither here nor below.
  bool Empty() const { return !owned_ && children_.empty(); }
  const Children& children() const { return children_; }
  // What lies below `element`; null if nothing does.
  const FieldSet* Find(std::string_view element) const;
  // Puts `below` under `element`, unless it is empty.
  void Put(std::string element, FieldSet below);
  // Drops `element` and all below it.
  void Erase(std::string_view element);

  FieldSet Union(const FieldSet& other) const;
  // Without the paths of `other`; paths below them stay.
  FieldSet Difference(const FieldSet& other) const;
  FieldSet Intersection(const FieldSet& other) const;

  // Every path as text: `.spec.containers[name="a"].image`; those that end at an object before
  // those that go deeper.
  std::vector<std::string> Paths() const;

  bool operator==(const FieldSet& other) const;

 private:
  void AddPaths(const std::string& prefix, std::vector<std::string>& paths) const;

  bool owned_ = false;
  Children children_;  // None is empty.
};

// The entries of metadata.managedFields: who owns which fields of an object.
struct ManagedEntry {
  std::string manager;
  bool applied = false;  // The operation: Apply, else Update.
  std::string api_version;
  std::string subresource;
  std::string time;  // RFC 3339.
  FieldSet fields;

  // Whether both are entries of the same manager, of which an object has one. Who applies may
  // change the API version.
  bool SameManager(const ManagedEntry& other) const;
  // As conflicts name it: `"kubectl-edit" using apps/v1`.
  std::string Text() const;
};

// The entries of an object. Entries that make no sense are passed over.
std::vector<ManagedEntry> ReadManagedFields(const api::JsonObject& object);

// Writes the entries that own something into the object, in Kubernetes' order; without any,
// managedFields goes.
void WriteManagedFields(std::vector<ManagedEntry> entries, api::JsonObject& object);

// Drops the fields that nobody owns: kind, apiVersion and the metadata that the server keeps.
FieldSet WithoutServerFields(FieldSet fields);

}  // namespace berth::apiserver::patch
