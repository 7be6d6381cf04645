// Which lists of Kubernetes objects merge, and by which keys: for strategic merge patches and for
// server-side apply.
//
// A field is known by its name and that of the field around it, for a list's elements the list:
// "ports" in "containers" is another list than "ports" in "spec". Lists without a rule are
// replaced as a whole, maps merge.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace berth::apiserver::patch {

struct FieldRule {
  // What a strategic merge patch does with the field.
  enum class Patch : uint8_t {
    kReplace,
    kMergeByKey,   // A list of objects, by `patch_key`.
    kMergeValues,  // A list of primitive values.
  };
  // What the field is to server-side apply.
  enum class Apply : uint8_t {
    kAtomic,       // One owner for all of it.
    kMap,          // A list whose elements are known by `apply_keys`.
    kMapOfAtomic,  // Likewise; an element has one owner.
    kSet,          // A list of distinct primitive values.
  };

  std::string_view kind;    // Empty: of any kind.
  std::string_view parent;  // The name of the field around it.
  std::string_view field;
  Patch patch = Patch::kReplace;
  std::string_view patch_key;
  Apply apply = Apply::kAtomic;
  std::vector<std::string_view> apply_keys;  // In alphabetical order.
};

// The rule of a field that holds a list, in an object of `kind`. Null: replaced, atomic.
const FieldRule* FindListRule(std::string_view kind, std::string_view parent,
                              std::string_view field);

// Whether a strategic merge patch replaces the object that the field holds.
bool PatchReplacesObject(std::string_view kind, std::string_view parent, std::string_view field);
// Whether server-side apply sees one value in the object that the field holds, as with selectors
// and references.
bool IsAtomicObject(std::string_view field);

// What the server puts where an element lacks a key: the protocol of a port. Empty: nothing.
std::string_view DefaultOfKey(std::string_view key);

}  // namespace berth::apiserver::patch
