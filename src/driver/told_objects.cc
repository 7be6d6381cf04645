#include "driver/told_objects.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace berth::driver {
namespace {

bool IsFinished(const api::Object& object) {
  const auto* pod = std::get_if<api::Ref<api::Pod>>(&object);
  return pod != nullptr && (*pod)->finished();
}

// An object without a version may always be news.
bool IsSameVersion(const api::Object& a, const api::Object& b) {
  const api::ObjectMeta& left = api::MetaOf(a);
  const api::ObjectMeta& right = api::MetaOf(b);
  return left.uid == right.uid && left.resource_version == right.resource_version &&
         !left.resource_version.empty();
}

}  // namespace

ToldObjects::Name ToldObjects::NameOf(const api::Object& object) {
  const api::ObjectMeta& meta = api::MetaOf(object);
  return {meta.namespace_, meta.name};
}

size_t ToldObjects::Hash::operator()(Name name) const {
  const std::hash<std::string_view> hash;
  return hash(name.namespace_) * 31 + hash(name.name);
}

const api::Object* ToldObjects::Find(std::string_view namespace_, std::string_view name) const {
  const auto told = told_.find(Name{namespace_, name});
  return told == told_.end() ? nullptr : &*told;
}

api::Object ToldObjects::Share(api::Object object) const {
  const auto told = told_.find(object);
  return told != told_.end() && IsSameVersion(*told, object) ? *told : std::move(object);
}

void ToldObjects::Put(api::Object object, std::vector<Event>& out) {
  const auto told = told_.find(object);
  if (IsFinished(object)) {
    if (told != told_.end()) Forget(told, out);
    return;
  }
  if (told != told_.end()) {
    if (IsSameVersion(*told, object)) return;
    if (api::MetaOf(*told).uid != api::MetaOf(object).uid) {
      Forget(told, out);
    } else {
      told_.erase(told);
    }
  }
  told_.insert(object);
  out.push_back(ObjectPut{std::move(object)});
}

void ToldObjects::Gone(std::string_view namespace_, std::string_view name,
                       std::vector<Event>& out) {
  const auto told = told_.find(Name{namespace_, name});
  if (told != told_.end()) Forget(told, out);
}

void ToldObjects::Forget(Told::iterator told, std::vector<Event>& out) {
  out.push_back(ObjectGone{*told});
  told_.erase(told);
}

void ToldObjects::Replace(Listed list, std::vector<Event>& out) {
  std::vector<Name> gone;
  if (!told_.empty()) {
    std::unordered_set<Name, Hash, Equal> there;
    for (const api::Object& object : list.objects) {
      if (!IsFinished(object)) there.insert(NameOf(object));
    }
    for (const api::ObjectKey& key : list.unreadable) there.insert({key.namespace_, key.name});
    for (const api::Object& object : told_) {
      if (!there.contains(NameOf(object))) gone.push_back(NameOf(object));
    }
  }
  std::ranges::sort(gone);
  for (const Name& name : gone) Forget(told_.find(name), out);
  told_.reserve(list.objects.size());
  for (api::Object& object : list.objects) Put(std::move(object), out);
}

}  // namespace berth::driver
