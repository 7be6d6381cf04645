// The rules of lists agree with the schemas of all kinds.
#include "apiserver/patch/merge_keys.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "api/scheme/schema.h"
#include "api/scheme/scheme.h"

namespace berth::apiserver::patch {
namespace BERTH_TEST_FILE {

using api::scheme::Schema;
using api::scheme::SchemaField;

// Returns "merge:name", "merge" or "".
std::string PatchOf(const FieldRule* rule) {
  if (rule == nullptr || rule->patch == FieldRule::Patch::kReplace) return "";
  if (rule->patch == FieldRule::Patch::kMergeValues) return "merge";
  return "merge:" + std::string(rule->patch_key);
}

std::string PatchOf(const SchemaField& field) {
  if (!field.patch_strategy.starts_with("merge")) return "";
  return field.merge_key.empty() ? "merge" : "merge:" + std::string(field.merge_key);
}

class RuleComparison {
 public:
  explicit RuleComparison(const api::scheme::Kind& kind) : kind_(kind) {}

  void Visit(const Schema& schema, std::string_view parent) {
    if (!seen_.emplace(&schema, parent).second) return;
    for (const SchemaField& field : schema.fields) {
      if (field.shape == SchemaField::Shape::kList) {
        EXPECT_EQ(PatchOf(FindListRule(kind_.kind, parent, field.name)), PatchOf(field))
            << kind_.kind << " " << schema.name << " " << field.name;
      }
      if (field.schema != nullptr) Visit(*field.schema, field.name);
    }
  }

 private:
  const api::scheme::Kind& kind_;
  std::set<std::pair<const Schema*, std::string_view>> seen_;
};

TEST(MergeKeysTest, AgreeWithTheSchemas) {
  for (const api::scheme::Kind& kind : api::scheme::Kinds()) {
    // The properties of a schema have names of their own.
    if (kind.kind == "CustomResourceDefinition") continue;
    RuleComparison(kind).Visit(*api::scheme::SchemaOf(kind.api_version(), kind.kind), "");
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::apiserver::patch
