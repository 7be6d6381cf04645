#include "apiserver/object_form.h"

#include <fmt/format.h>

#include <charconv>
#include <memory>
#include <span>

#include "apiserver/events.h"
#include "apiserver/raw_json.h"
#include "apiserver/request_options.h"

namespace berth::apiserver {
namespace {

ApiResult<IncludeObject> ReadInclude(std::string_view text) {
  if (text.empty() || text == "Metadata") return IncludeObject::kMetadata;
  if (text == "Object") return IncludeObject::kObject;
  if (text == "None") return IncludeObject::kNone;
  return std::unexpected(
      InvalidOption("TableOptions", "includeObject", "FieldValueNotSupported",
                    "Unsupported value: supported values: \"Metadata\", \"None\", \"Object\""));
}

}  // namespace

net::Piece Owned(std::string text) {
  const auto owner = std::make_shared<const std::string>(std::move(text));
  return {owner, *owner};
}

net::Piece WholeObject(const Kind& kind, const store::ObjectPtr& object) {
  if (kind.kind == "Event" && !kind.group.empty()) return Owned(ConvertEvent(kind, *object));
  return {object, object->json};
}

store::ObjectPtr AtVersion(const store::Object& object, store::Version version) {
  auto copy = std::make_shared<store::Object>(object);
  const std::string_view json = object.json;
  const std::string_view digits = RawMember(RawMember(json, "metadata"), "resourceVersion");
  if (!digits.empty()) {
    copy->json.replace(static_cast<size_t>(digits.data() - json.data()), digits.size(),
                       fmt::format("\"{}\"", version));
  }
  copy->version = version;
  return copy;
}

ApiResult<ObjectForm> ObjectForm::Make(const Kind& kind, std::string_view accept,
                                       const Query& query, const Clock& clock) {
  auto wanted = WantedObjectForm(accept);
  if (!wanted) return std::unexpected(wanted.error());
  const auto include = ReadInclude(query.Get("includeObject"));
  if (!include) return std::unexpected(include.error());
  ObjectForm form(kind);
  form.wanted_ = *std::move(wanted);
  form.include_ = *include;
  form.clock_ = &clock;
  return form;
}

TableOptions ObjectForm::Table(bool columns) const {
  return {.include = include_,
          .columns = columns,
          .api_version = MetaApiVersion(),
          .now = clock_->Now()};
}

void ObjectForm::Append(const store::ObjectPtr& object, bool columns,
                        std::vector<net::Piece>& out) const {
  switch (wanted_.form) {
    case Form::kTable: {
      const auto metadata = fmt::format(R"({{"resourceVersion":"{}"}})", object->version);
      out.push_back(Owned(MakeTable(*kind_, std::span(&object, 1), metadata, Table(columns))));
      return;
    }
    case Form::kPartialMetadata:
      out.push_back(Owned(fmt::format(
          R"({{"kind":"PartialObjectMetadata","apiVersion":"{}","metadata":)", MetaApiVersion())));
      out.push_back({object, RawMember(object->json, "metadata")});
      out.push_back(Literal("}"));
      return;
    default:
      out.push_back(WholeObject(*kind_, object));
  }
}

void ObjectForm::AppendList(const std::vector<store::ObjectPtr>& objects,
                            const std::string& metadata, std::vector<net::Piece>& out) const {
  if (wanted_.form == Form::kTable) {
    out.push_back(Owned(MakeTable(*kind_, objects, metadata, Table(true))));
    return;
  }
  const bool partial = wanted_.form == Form::kPartialMetadata;
  out.reserve(out.size() + objects.size() * (partial ? 3 : 2) + 2);
  const std::string list_kind =
      partial ? "PartialObjectMetadataList" : fmt::format("{}List", kind_->kind);
  const std::string api_version = partial ? MetaApiVersion() : std::string(kind_->api_version());
  out.push_back(Owned(fmt::format(R"({{"kind":"{}","apiVersion":"{}","metadata":{},"items":[)",
                                  list_kind, api_version, metadata)));
  bool first = true;
  for (const store::ObjectPtr& object : objects) {
    if (!first) out.push_back(Literal(","));
    first = false;
    Append(object, true, out);
  }
  out.push_back(Literal("]}"));
}

void ObjectForm::AppendBookmark(store::Version version, bool initial_events_end,
                                std::vector<net::Piece>& out) const {
  const auto metadata = fmt::format(
      R"({{"resourceVersion":"{}"{}}})", version,
      initial_events_end ? R"(,"annotations":{"k8s.io/initial-events-end":"true"})" : "");
  if (wanted_.form == Form::kTable) {
    out.push_back(Owned(MakeTable(*kind_, {}, metadata, Table(false))));
    return;
  }
  const bool partial = wanted_.form == Form::kPartialMetadata;
  out.push_back(
      Owned(fmt::format(R"({{"kind":"{}","apiVersion":"{}","metadata":{}}})",
                        partial ? "PartialObjectMetadata" : kind_->kind,
                        partial ? MetaApiVersion() : std::string(kind_->api_version()), metadata)));
}

}  // namespace berth::apiserver
