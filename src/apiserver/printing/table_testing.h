// A row in the table-driven tests of printing, and the cells of one object as JSON.
#pragma once

#include <memory>
#include <string>

#include "api/scheme/scheme.h"
#include "api/timestamp.h"
#include "apiserver/printing/table.h"

namespace berth::apiserver::printing {

// An object of `resource`, created at 10:00:00 and printed an hour later.
struct CellCase {
  const char* name;
  const char* resource;  // "pods"
  std::string fields;    // The JSON after name and creation time: `},"spec":{...}`.
  const char* want;      // The cells of the row.
};

inline store::ObjectPtr ObjectOf(const std::string& json) {
  auto object = std::make_shared<store::Object>();
  object->json = json;
  return object;
}

// Returns the text between `from` and `to`.
inline std::string Between(const std::string& text, std::string_view from, std::string_view to) {
  const size_t start = text.find(from);
  if (start == std::string::npos) return "";
  const size_t begin = start + from.size();
  return text.substr(begin, text.find(to, begin) - begin);
}

// Returns the cells of the row as JSON.
inline std::string CellsOf(const CellCase& test) {
  TableOptions options;
  options.include = IncludeObject::kNone;
  options.now = *api::ParseTimestamp("2026-01-01T11:00:00Z");
  const std::string json =
      R"({"metadata":{"name":"x","creationTimestamp":"2026-01-01T10:00:00Z")" + test.fields + "}";
  const store::ObjectPtr object = ObjectOf(json);
  const std::string table =
      MakeTable(api::scheme::KindOf(test.resource), {&object, 1}, "", options);
  return Between(table, R"("rows":[{"cells":[)", R"(],"object":null}]})");
}

}  // namespace berth::apiserver::printing
