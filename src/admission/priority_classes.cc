#include "admission/priority_classes.h"

#include <algorithm>

#include "kinds/draft.h"
#include "kinds/json_access.h"
#include "kinds/kinds.h"

namespace berth::apiserver {

void PriorityClasses::Refresh(const store::Store& store) {
  const std::lock_guard lock(mutex_);
  auto table = std::make_shared<Table>();
  for (const store::ObjectPtr& object :
       store.List(KindOf("priorityclasses.scheduling.k8s.io").collection, {}).objects) {
    const Json document = Parse(*object);
    const JsonObject* fields = AsObject(document);
    PriorityClass row;
    row.name = object->key.name;
    row.value = IntAt(fields, "value").value_or(0);
    const std::string_view policy = StringAt(fields, "preemptionPolicy");
    if (!policy.empty()) row.preemption_policy = policy;
    row.global_default = BoolAt(fields, "globalDefault");
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

}  // namespace berth::apiserver
