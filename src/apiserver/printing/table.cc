#include "apiserver/printing/table.h"

#include <fmt/format.h>

#include <boost/json/monotonic_resource.hpp>
#include <unordered_map>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "api/json/writer.h"
#include "api/scheme/scheme.h"
#include "apiserver/crd/custom_resource.h"
#include "apiserver/printing/columns.h"

namespace berth::apiserver::printing {
namespace {

const TableLayout& PlainLayout() {
  static const TableLayout layout = {
      {NameColumn(), {"Created At", "When the object was created."}},
      [](api::JsonView object, Instant) -> Cells {
        return {NameOf(object), std::string(object["metadata"]["creationTimestamp"].text())};
      }};
  return layout;
}

using LayoutIndex = std::unordered_map<std::string_view, TableLayout>;

LayoutIndex AllLayouts() {
  LayoutIndex index;
  for (const Layouts& layouts :
       {PodLayouts(), ClusterLayouts(), NetworkLayouts(), WorkloadLayouts(), StorageLayouts(),
        AccessLayouts(), NetworkingLayouts(), ServerLayouts()}) {
    index.insert(layouts.begin(), layouts.end());
  }
  return index;
}

void AppendColumn(std::string& out, const TableColumn& column) {
  api::JsonWriter json;
  json.BeginObject();
  json.Key("name");
  json.String(column.name);
  json.Key("type");
  json.String(column.type);
  json.Key("format");
  json.String(column.format);
  json.Key("description");
  json.String(column.description);
  json.Key("priority");
  json.Int(column.wide ? 1 : 0);
  json.EndObject();
  out += json.Take();
}

void AppendColumns(std::string& out, const TableLayout& layout) {
  out += '[';
  for (const TableColumn& column : layout.columns) {
    if (out.back() != '[') out += ',';
    AppendColumn(out, column);
  }
  out += ']';
}

void AppendCell(std::string& out, const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    api::AppendJsonString(out, *text);
  } else if (const auto* number = std::get_if<int64_t>(&cell)) {
    out += fmt::format("{}", *number);
  } else if (const auto* flag = std::get_if<bool>(&cell)) {
    out += *flag ? "true" : "false";
  } else if (const auto* fraction = std::get_if<double>(&cell)) {
    api::AppendJson(out, api::Json(*fraction));
  } else {
    out += "null";
  }
}

void AppendObject(std::string& out, const store::Object& object, api::JsonView document,
                  const TableOptions& options) {
  switch (options.include) {
    case IncludeObject::kNone:
      out += "null";
      return;
    case IncludeObject::kObject:
      out += object.json;
      return;
    case IncludeObject::kMetadata:
      out += R"({"kind":"PartialObjectMetadata","apiVersion":)";
      api::AppendJsonString(out, options.api_version);
      out += ",\"metadata\":";
      const api::Json* metadata = document["metadata"].value();
      out += metadata == nullptr ? "{}" : api::ToJsonText(*metadata);
      out += '}';
  }
}

// RowWriter writes rows and reuses its memory.
class RowWriter {
 public:
  RowWriter(const TableLayout& layout, const TableOptions& options)
      : layout_(layout), options_(options) {}

  void Append(std::string& out, const store::Object& object) {
    boost::json::monotonic_resource memory(buffer_, sizeof(buffer_));
    // Stored objects are valid JSON. The cells of a damaged object are empty.
    const auto parsed = api::ParseJson(object.json, {.storage = &memory});
    const api::JsonView document = parsed ? api::JsonView(*parsed) : api::JsonView();
    out += "{\"cells\":[";
    for (const Cell& cell : layout_.cells(document, options_.now)) {
      if (out.back() != '[') out += ',';
      AppendCell(out, cell);
    }
    out += "],\"object\":";
    AppendObject(out, object, document, options_);
    out += '}';
  }

 private:
  const TableLayout& layout_;
  const TableOptions& options_;
  unsigned char buffer_[16 * 1024];  // Enough for most objects to avoid allocations.
};

}  // namespace

const TableLayout& LayoutOf(const api::scheme::Kind& kind) {
  static const LayoutIndex index = AllLayouts();
  const auto found = index.find(kind.group_resource());
  return found == index.end() ? PlainLayout() : found->second;
}

std::string MakeTable(const api::scheme::Kind& kind, std::span<const store::ObjectPtr> objects,
                      const std::string& list_metadata, const TableOptions& options) {
  const crd::CustomVersion* version = crd::VersionOf(kind);
  const TableLayout custom = version != nullptr ? CustomLayout(*version) : TableLayout();
  const TableLayout& layout = version != nullptr ? custom : LayoutOf(kind);
  std::string out = R"({"kind":"Table","apiVersion":)";
  api::AppendJsonString(out, options.api_version);
  out += ",\"metadata\":" + (list_metadata.empty() ? "{}" : list_metadata);
  out += ",\"columnDefinitions\":";
  if (options.columns) {
    AppendColumns(out, layout);
  } else {
    out += "null";
  }
  out += ",\"rows\":[";
  RowWriter rows(layout, options);
  for (const store::ObjectPtr& object : objects) {
    if (out.back() != '[') out += ',';
    rows.Append(out, *object);
  }
  return out + "]}";
}

std::string ShortAge(Duration age) {
  const int64_t seconds = age / Duration::Seconds(1);
  const int64_t minutes = seconds / 60;
  const int64_t hours = minutes / 60;
  const int64_t days = hours / 24;
  // Formats two units; omits the second if it is zero.
  const auto two = [](int64_t first, char unit, int64_t second, char lesser) {
    if (second == 0) return fmt::format("{}{}", first, unit);
    return fmt::format("{}{}{}{}", first, unit, second, lesser);
  };
  // Clocks of different machines may differ by up to a second.
  if (seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  if (seconds < 2 * 60) return fmt::format("{}s", seconds);
  if (minutes < 10) return two(minutes, 'm', seconds % 60, 's');
  if (minutes < 3 * 60) return fmt::format("{}m", minutes);
  if (hours < 8) return two(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return fmt::format("{}h", hours);
  if (days < 8) return two(days, 'd', hours % 24, 'h');
  if (days < 2 * 365) return fmt::format("{}d", days);
  if (days < 8 * 365) return two(days / 365, 'y', days % 365, 'd');
  return fmt::format("{}y", days / 365);
}

}  // namespace berth::apiserver::printing
