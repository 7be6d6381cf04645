// GarbageCollector deletes objects whose owners are all gone, and deals with the dependents of
// those that are deleted in the foreground or are to leave orphans.
//
// Keeps only objects that name owners. That an owner is gone is asked of the store, by the kind and
// name of the reference: an owner of a kind that is not served counts as there.
#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "localcluster/controller.h"

namespace berth::localcluster {

class GarbageCollector final : public Controller {
 public:
  explicit GarbageCollector(Context& context) : Controller("garbage-collector", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& object) override;  // The key is the uid, without a namespace.
  size_t index_size() const override {
    return objects_.size() + dependents_.size() + deleting_.size();
  }

 private:
  struct Place {
    const Kind* kind = nullptr;
    ObjectName name;
  };
  struct Dependent {
    Place place;
    std::vector<std::string> owners;  // Their uids.
  };

  void Track(const Change& change);
  void Untrack(const std::string& uid);
  // Of an object that is being deleted: lets its dependents go first, or loose.
  void End(const std::string& uid, const Place& place);
  void DeleteDependents(const ObjectName& key, const std::string& uid, const Place& place);
  void ReleaseDependents(const ObjectName& key, const std::string& uid, const Place& place);
  void RemoveFinalizer(const ObjectName& key, const Place& place, std::string_view finalizer);
  // Of an object with owners: deletes it if all are gone, or forgets those that are.
  void Judge(const std::string& uid, const Dependent& dependent);

  std::unordered_map<std::string, Dependent> objects_;                 // By uid.
  std::unordered_map<std::string, std::set<std::string>> dependents_;  // By the owner's uid.
  std::map<std::string, Place> deleting_;  // Being deleted with either of the finalizers.
};

// NamespaceController ends namespaces: deletes what is in them, waits for what takes its time, and
// then lets them go.
class NamespaceController final : public Controller {
 public:
  explicit NamespaceController(Context& context) : Controller("namespaces", context) {}

  void Observe(const Change& change) override;
  void Sync(const ObjectName& key) override;  // The key is a namespace's.
  size_t index_size() const override { return remaining_.size(); }

 private:
  // How many objects have yet to go in each that ends.
  std::unordered_map<std::string, size_t> remaining_;
};

}  // namespace berth::localcluster
