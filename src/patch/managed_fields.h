// The entries of metadata.managedFields: who owns which fields of an object.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kinds/json.h"
#include "patch/field_set.h"

namespace berth::apiserver {

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
std::vector<ManagedEntry> ReadManagedFields(const JsonObject& object);

// Writes the entries that own something into the object, in Kubernetes' order; without any,
// managedFields goes.
void WriteManagedFields(std::vector<ManagedEntry> entries, JsonObject& object);

// Drops the fields that nobody owns: kind, apiVersion and the metadata that the server keeps.
FieldSet WithoutServerFields(FieldSet fields);

}  // namespace berth::apiserver
