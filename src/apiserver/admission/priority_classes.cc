#include "apiserver/admission/priority_classes.h"

#include <algorithm>

#include "api/json/document.h"
#include "api/scheme/scheme.h"
#include "apiserver/store/codec.h"

namespace berth::apiserver::admission {

void PriorityClasses::Refresh(const store::Store& store) {
  const std::lock_guard lock(mutex_);
  auto table = std::make_shared<Table>();
  for (const store::ObjectPtr& object :
       store.List(api::scheme::KindOf("priorityclasses.scheduling.k8s.io").collection, {})
           .objects) {
    const api::Json document = store::Parse(*object);
    const api::JsonObject* fields = api::AsObject(document);
    PriorityClass row;
    row.name = object->key.name;
    row.value = api::IntAt(fields, "value").value_or(0);
    const std::string_view policy = api::StringAt(fields, "preemptionPolicy");
    if (!policy.empty()) row.preemption_policy = policy;
    row.global_default = api::BoolAt(fields, "globalDefault");
    table->push_back(std::move(row));
  }
  table_ = std::move(table);
}

std::shared_ptr<const PriorityClasses::Table> PriorityClasses::table() const {
  const std::lock_guard lock(mutex_);
  return table_;
}

const PriorityClass* FindPriorityClass(const PriorityClasses::Table& table, std::string_view name) {
  const auto found = std::ranges::lower_bound(table, name, {}, &PriorityClass::name);
  return found != table.end() && found->name == name ? &*found : nullptr;
}

const PriorityClass* DefaultPriorityClass(const PriorityClasses::Table& table) {
  const PriorityClass* lowest = nullptr;
  for (const PriorityClass& row : table) {
    if (row.global_default && (!lowest || row.value < lowest->value)) lowest = &row;
  }
  return lowest;
}

}  // namespace berth::apiserver::admission
