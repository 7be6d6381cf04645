// GarbageCollector deletes objects whose owners are all gone, and processes the dependents of
// objects that are deleted with foreground or orphan propagation. NamespaceController deletes the
// content of terminating namespaces.
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "localcluster/controller.h"

namespace berth::localcluster {

// Tracks only objects with owner references. Whether an owner exists is looked up in the store by
// the reference's kind and name; an owner of an unknown kind counts as existing.
class GarbageCollector final : public Controller {
 public:
  explicit GarbageCollector(Context& context) : Controller("garbage-collector", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& object) override;  // The key is the uid, without a namespace.
  size_t index_size() const override {
    return objects_.size() + dependents_.size() + deleting_.size();
  }

 private:
  struct Reference {
    api::scheme::KindPtr kind;
    ObjectName name;
  };
  struct Dependent {
    Reference reference;
    std::vector<std::string> owners;  // Their uids.
  };

  void Track(const Change& change);
  void Untrack(const std::string& uid);
  // Deletes or releases the dependents of an object that is being deleted.
  void ProcessDeleting(const std::string& uid, const Reference& reference);
  void DeleteDependents(const ObjectName& key, const std::string& uid, const Reference& reference);
  // Reports whether there is an owner besides the one with that uid that is to stay.
  bool HasOtherOwner(const JsonObject* metadata, const std::string& uid,
                     const std::string& namespace_) const;
  // Reports whether a dependent of the object waits for its own dependents. If these own each other
  // in a circle, nobody may wait.
  bool MayBeInCircle(const std::string& uid) const;
  // Removes the reference to the owner.
  void Release(const Reference& dependent, const std::string& uid);
  void ReleaseDependents(const ObjectName& key, const std::string& uid, const Reference& reference);
  void RemoveFinalizer(const ObjectName& key, const Reference& reference,
                       std::string_view finalizer);
  // Deletes the object if all its owners are gone, otherwise removes references to those that are.
  void AttemptToDelete(const std::string& uid, const Dependent& dependent);

  std::unordered_map<std::string, Dependent> objects_;                 // By uid.
  std::unordered_map<std::string, std::set<std::string>> dependents_;  // By the owner's uid.
  std::map<std::string, Reference> deleting_;  // With the foreground or orphan finalizer.
};

// NamespaceController deletes the content of terminating namespaces, waits until it is gone, and
// removes their finalizer.
class NamespaceController final : public Controller {
 public:
  explicit NamespaceController(Context& context) : Controller("namespaces", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& key) override;  // The key names a namespace.
  size_t index_size() const override { return remaining_.size(); }

 private:
  // How many objects are left in each terminating namespace.
  std::unordered_map<std::string, size_t> remaining_;
};

}  // namespace berth::localcluster
