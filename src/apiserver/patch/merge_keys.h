// The merge rules of lists in Kubernetes objects, for strategic merge patches and server-side
// apply.
//
// A field is identified by its name and the name of the enclosing field (for elements of a list,
// the list): "ports" in "containers" is not "ports" in "spec". Lists without a rule are replaced as
// a whole; objects merge.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace berth::apiserver::patch {

struct FieldRule {
  // How a strategic merge patch treats the list.
  enum class Patch : uint8_t {
    kReplace,
    kMergeByKey,   // A list of objects, by `patch_key`.
    kMergeValues,  // A list of primitive values.
  };
  // How server-side apply treats the list (x-kubernetes-list-type).
  enum class Apply : uint8_t {
    kAtomic,       // The list has one owner.
    kMap,          // Elements are identified by `apply_keys`.
    kMapOfAtomic,  // Likewise, and each element has one owner.
    kSet,          // A list of distinct primitive values.
  };

  std::string_view kind;    // Empty: any kind.
  std::string_view parent;  // The name of the enclosing field.
  std::string_view field;
  Patch patch = Patch::kReplace;
  std::string_view patch_key;
  Apply apply = Apply::kAtomic;
  std::vector<std::string_view> apply_keys;  // In alphabetical order.
};

// Returns the rule of a list in an object of `kind`; null if it is replaced and atomic.
const FieldRule* FindListRule(std::string_view kind, std::string_view parent,
                              std::string_view field);

// Reports whether a strategic merge patch replaces the object in the field.
bool PatchReplacesObject(std::string_view kind, std::string_view parent, std::string_view field);
// Reports whether server-side apply treats the object in the field as one value, as it does with
// selectors and references.
bool IsAtomicObject(std::string_view field);

// Returns the server's default of a key that an element lacks, such as the protocol of a port;
// empty if there is none.
std::string_view DefaultOfKey(std::string_view key);

}  // namespace berth::apiserver::patch
