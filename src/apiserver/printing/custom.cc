// The table layout of custom kinds: the printer columns of their definition.
#include <string>
#include <utility>

#include "api/json/document.h"
#include "api/json/writer.h"
#include "apiserver/crd/custom_resource.h"
#include "apiserver/printing/columns.h"

namespace berth::apiserver::printing {
namespace {

constexpr Cell kEmptyCell = std::monostate();

// Prints a value as kubectl's JSONPath does.
Cell TextCell(const api::Json& value) {
  if (value.is_null()) return kEmptyCell;
  if (value.is_string()) return std::string(api::AsString(value));
  return api::ToJsonText(value);
}

Cell CustomCell(const crd::PrinterColumn& column, const api::Json& document, Instant now) {
  const api::Json* value = column.path ? column.path->Find(document) : nullptr;
  if (value == nullptr) return kEmptyCell;
  if (column.type == "string") return TextCell(*value);
  if (column.type == "date") {
    if (!value->is_string()) return kEmptyCell;
    std::string age = Since(api::JsonView(*value), now);
    return age == "<unknown>" ? std::string("<invalid>") : age;
  }
  if (column.type == "boolean") return value->is_bool() ? Cell(value->get_bool()) : kEmptyCell;
  if (!value->is_number()) return kEmptyCell;
  if (column.type == "number") return value->to_number<double>();
  if (const double* number = value->if_double()) return static_cast<int64_t>(*number);
  return api::AsInt(value).value_or(0);
}

}  // namespace

TableLayout CustomLayout(const crd::CustomVersion& version) {
  TableLayout layout{.columns = {NameColumn()}};
  for (const crd::PrinterColumn& column : version.columns) {
    layout.columns.push_back({.name = column.name,
                              .description = column.description,
                              .wide = column.priority > 0,
                              .type = column.type,
                              .format = column.format});
  }
  layout.cells = [&version](api::JsonView object, Instant now) {
    Cells cells = {NameOf(object)};
    const api::Json none;
    const api::Json& document = object.value() != nullptr ? *object.value() : none;
    for (const crd::PrinterColumn& column : version.columns) {
      cells.push_back(CustomCell(column, document, now));
    }
    return cells;
  };
  return layout;
}

}  // namespace berth::apiserver::printing
