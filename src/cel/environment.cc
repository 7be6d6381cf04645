#include "cel/environment.h"

namespace berth::cel {
namespace {

template <typename Map>
const typename Map::mapped_type* FindIn(const Map& map, std::string_view name) {
  const auto found = map.find(name);
  return found == map.end() ? nullptr : &found->second;
}

}  // namespace

Environment::Environment(const Environment* base)
    : base_(base),
      has_bind_(base != nullptr && base->has_bind_),
      types_(base != nullptr ? &base->types_ : nullptr),
      a_(types_.Parameter(0, "A")),
      b_(types_.Parameter(1, "B")) {}

Function& Environment::Define(std::string_view name) {
  return functions_.try_emplace(name, name).first->second;
}

void Environment::AddVariable(std::string_view name, const Type* type) {
  const auto slot = static_cast<uint32_t>(variables_.size());
  variables_[name] = {type, slot};
}

void Environment::AddField(const Type* object, std::string_view field, const Type* type) {
  fields_[object->name][field] = {type, field};
}

void Environment::AddAlias(const Type* object, std::string_view alias, std::string_view key) {
  auto& fields = fields_[object->name];
  fields[alias] = fields.at(key);
}

void Environment::AddTypeName(std::string_view name, const Type* type) { type_names_[name] = type; }

const Function* Environment::FindFunction(std::string_view name) const {
  const Function* found = FindIn(functions_, name);
  return found == nullptr && base_ != nullptr ? base_->FindFunction(name) : found;
}

const Environment::Variable* Environment::FindVariable(std::string_view name) const {
  return FindIn(variables_, name);
}

const Environment::Field* Environment::FindField(const Type& object, std::string_view field) const {
  const auto* fields = FindIn(fields_, object.name);
  if (fields == nullptr) return base_ != nullptr ? base_->FindField(object, field) : nullptr;
  return FindIn(*fields, field);
}

const Type* Environment::FindTypeName(std::string_view name) const {
  const Type* const* type = FindIn(type_names_, name);
  if (type != nullptr) return *type;
  return base_ != nullptr ? base_->FindTypeName(name) : nullptr;
}

}  // namespace berth::cel
