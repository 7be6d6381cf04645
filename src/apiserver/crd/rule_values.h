// RuleValues converts the values of an object to those that its rules see.
//
// A value is converted with all that it contains when it is first asked for; values of schemas that
// have rules, too, are remembered. Texts are not copied: the documents must outlive the values and
// not change. Owned by one validation.
#pragma once

#include <map>
#include <string>
#include <unordered_map>

#include "api/json/json.h"
#include "cel/arena.h"
#include "cel/identified_lists.h"
#include "cel/value.h"

namespace berth::apiserver::crd {

struct Schema;

class RuleValues {
 public:
  // `root` is the schema of a resource, or null if values are only parts of one.
  explicit RuleValues(const Schema* root) : root_(root) {}

  // A value that does not have the type of the schema becomes an error value, which fails the rules
  // that use it.
  cel::Value Of(const Schema& schema, const api::Json& json);

 private:
  cel::Value Convert(const Schema& schema, const api::Json& json);
  cel::Value ConvertTyped(const Schema& schema, const api::Json& json);
  cel::Value ConvertObject(const Schema& schema, const api::JsonObject& object);
  cel::Value ConvertMap(const Schema& values, const api::JsonObject& object);
  cel::Value ConvertList(const Schema& schema, const api::JsonArray& array);
  cel::Value ConvertText(const Schema& schema, std::string_view text);
  // The key and value of a member that rules cannot read.
  cel::Value HiddenKey(std::string_view name);
  cel::Value Hidden(const api::Json& json);
  // Returns what identifies the items of a list, or null.
  const cel::ListIdentity* IdentityOf(const Schema& schema);

  const Schema* root_;
  cel::Arena arena_;
  std::unordered_map<const api::Json*, cel::Value> known_;
  std::map<const Schema*, const cel::ListIdentity*> identities_;
};

}  // namespace berth::apiserver::crd
