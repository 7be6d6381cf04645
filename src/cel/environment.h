// Environment is what an expression can refer to: variables, types, and functions.
//
// Built once and then shared by all compilations, from any thread. One may extend another, so that
// expressions about different variables share the functions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "cel/declarations.h"
#include "cel/type.h"

namespace berth::cel {

class Environment {
 public:
  struct Variable {
    const Type* type = nullptr;
    uint32_t slot = 0;  // Of its value among those that an evaluation gets.
  };

  struct Field {
    const Type* type = nullptr;
    std::string_view key;  // By which values have it.
  };

  // Has what `base` has, unless it is null, and what is added. `base` must outlive the environment
  // and no longer change; it may have no variables.
  explicit Environment(const Environment* base = nullptr);
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

  // Names and fields must outlive the environment.

  // Returns the function, which may have overloads already.
  Function& Define(std::string_view name);
  // The slots of variables are counted in the order of their declaration.
  void AddVariable(std::string_view name, const Type* type);
  void AddField(const Type* object, std::string_view field, const Type* type);
  // Adds another name for the field `key`, by which values have it.
  void AddAlias(const Type* object, std::string_view alias, std::string_view key);
  // Makes the name of a type a value: `type(x) == string`.
  void AddTypeName(std::string_view name, const Type* type);
  // Adds the macro cel.bind.
  void AddBind() { has_bind_ = true; }

  TypePool& types() { return types_; }
  const TypePool& types() const { return types_; }
  // Type parameters for declarations.
  const Type* A() const { return a_; }
  const Type* B() const { return b_; }

  const Function* FindFunction(std::string_view name) const;
  const Variable* FindVariable(std::string_view name) const;
  // Returns nullptr for an object that has no such field.
  const Field* FindField(const Type& object, std::string_view field) const;
  const Type* FindTypeName(std::string_view name) const;
  bool has_bind() const { return has_bind_; }

 private:
  const Environment* base_;
  bool has_bind_ = false;
  TypePool types_;
  const Type* a_;
  const Type* b_;
  std::map<std::string_view, Function> functions_;
  std::map<std::string_view, Variable> variables_;
  std::map<std::string_view, std::map<std::string_view, Field>> fields_;
  std::map<std::string_view, const Type*> type_names_;
};

}  // namespace berth::cel
