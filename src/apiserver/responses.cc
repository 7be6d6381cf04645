#include "apiserver/responses.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <span>
#include <utility>

#include "api/json/json_text.h"
#include "api/json/writer.h"
#include "api/protobuf/to_json.h"
#include "apiserver/crd/custom_resource.h"
#include "apiserver/protobuf_responses.h"
#include "apiserver/registry/conversion.h"
#include "apiserver/request_options.h"

namespace berth::apiserver {
namespace {

api::scheme::ApiResult<printing::IncludeObject> ReadInclude(std::string_view text) {
  if (text.empty() || text == "Metadata") return printing::IncludeObject::kMetadata;
  if (text == "Object") return printing::IncludeObject::kObject;
  if (text == "None") return printing::IncludeObject::kNone;
  return std::unexpected(
      InvalidOption("TableOptions", "includeObject", "FieldValueNotSupported",
                    "Unsupported value: supported values: \"Metadata\", \"None\", \"Object\""));
}

std::string ListKindOf(const api::scheme::Kind& kind) {
  const crd::CustomVersion* version = crd::VersionOf(kind);
  return version != nullptr ? version->resource.list_kind() : fmt::format("{}List", kind.kind);
}

// Returns the object that a row of a table shows. The columns of built-in kinds read the stored
// form.
store::ObjectPtr RowOf(const api::scheme::Kind& kind, const store::ObjectPtr& object) {
  return kind.custom != nullptr ? registry::InForm(kind, object) : object;
}

}  // namespace

net::Piece Owned(std::string text) {
  const auto owner = std::make_shared<const std::string>(std::move(text));
  return {owner, *owner};
}

net::Piece WholeObject(const api::scheme::Kind& kind, const store::ObjectPtr& object) {
  store::ObjectPtr represented = registry::InForm(kind, object);
  const std::string_view json = represented->json;
  return {std::move(represented), json};
}

store::ObjectPtr AtVersion(const store::Object& object, store::Version version) {
  auto copy = std::make_shared<store::Object>(object);
  const std::string_view json = object.json;
  const std::string_view digits =
      api::RawMember(api::RawMember(json, "metadata"), "resourceVersion");
  if (!digits.empty()) {
    copy->json.replace(static_cast<size_t>(digits.data() - json.data()), digits.size(),
                       fmt::format("\"{}\"", version));
  }
  copy->version = version;
  return copy;
}

api::scheme::ApiResult<ObjectForm> ObjectForm::Make(const api::scheme::KindPtr& kind,
                                                    std::string_view accept, const Query& query,
                                                    const Clock& clock) {
  auto wanted = WantedObjectForm(accept);
  if (!wanted) return std::unexpected(wanted.error());
  const auto include = ReadInclude(query.Get("includeObject"));
  if (!include) return std::unexpected(include.error());
  if (wanted->protobuf && !HasProtobuf(*kind)) {
    return std::unexpected(api::scheme::NotAcceptable("application/json"));
  }
  // A review is no object with metadata that could be shown in another form.
  if (wanted->form != Form::kPlain && kind->kind.ends_with("Review")) {
    return std::unexpected(api::scheme::NotAcceptable("application/json"));
  }
  ObjectForm form(kind);
  form.wanted_ = *std::move(wanted);
  form.include_ = *include;
  form.clock_ = &clock;
  return form;
}

printing::TableOptions ObjectForm::Table(bool columns) const {
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
      const store::ObjectPtr row = RowOf(*kind_, object);
      out.push_back(
          Owned(printing::MakeTable(*kind_, std::span(&row, 1), metadata, Table(columns))));
      return;
    }
    case Form::kPartialMetadata:
      out.push_back(Owned(fmt::format(
          R"({{"kind":"PartialObjectMetadata","apiVersion":"{}","metadata":)", MetaApiVersion())));
      out.push_back({object, api::RawMember(object->json, "metadata")});
      out.push_back(Literal("}"));
      return;
    default:
      net::Piece whole = WholeObject(*kind_, object);
      out.push_back(protobuf() ? Owned(ToProtobuf(whole.bytes)) : std::move(whole));
  }
}

void ObjectForm::AppendList(const std::vector<store::ObjectPtr>& objects,
                            const std::string& metadata, std::vector<net::Piece>& out) const {
  if (wanted_.form == Form::kTable) {
    std::vector<store::ObjectPtr> rows;
    rows.reserve(objects.size());
    for (const store::ObjectPtr& object : objects) rows.push_back(RowOf(*kind_, object));
    out.push_back(Owned(printing::MakeTable(*kind_, rows, metadata, Table(true))));
    return;
  }
  if (protobuf()) {
    std::vector<net::Piece> whole;
    std::vector<std::string_view> texts;
    for (const store::ObjectPtr& object : objects) {
      texts.push_back(whole.emplace_back(WholeObject(*kind_, object)).bytes);
    }
    out.push_back(Owned(ListToProtobuf(*kind_, metadata, texts)));
    return;
  }
  const bool partial = wanted_.form == Form::kPartialMetadata;
  out.reserve(out.size() + objects.size() * (partial ? 3 : 2) + 2);
  const std::string list_kind = partial ? "PartialObjectMetadataList" : ListKindOf(*kind_);
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
    out.push_back(Owned(printing::MakeTable(*kind_, {}, metadata, Table(false))));
    return;
  }
  const bool partial = wanted_.form == Form::kPartialMetadata;
  std::string object =
      fmt::format(R"({{"kind":"{}","apiVersion":"{}","metadata":{}}})",
                  partial ? "PartialObjectMetadata" : kind_->kind,
                  partial ? MetaApiVersion() : std::string(kind_->api_version()), metadata);
  out.push_back(Owned(protobuf() ? ToProtobuf(object) : std::move(object)));
}

namespace {

// The limit of all warnings, since clients limit the size of headers.
constexpr size_t kMaxWarningBytes = 4096;

// Quotes `text` for a header.
std::string QuotedForHeader(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c >= 0 && c < ' ' ? ' ' : c;
  }
  return out + "\"";
}

}  // namespace

net::ServerResponse JsonResponseHead(int status) {
  net::ServerResponse response;
  response.status = status;
  response.headers = {{"Content-Type", "application/json"}, {"Cache-Control", "no-cache, private"}};
  return response;
}

net::ServerResponse ResponseHead(int status, const ObjectForm& form, bool watch) {
  net::ServerResponse response = JsonResponseHead(status);
  if (form.protobuf()) {
    response.headers.front().value = watch ? kProtobufStream : api::protobuf::kContentType;
  }
  return response;
}

net::ServerResponse JsonResponse(int status, std::string body) {
  net::ServerResponse response = JsonResponseHead(status);
  response.body.push_back(Owned(std::move(body)));
  return response;
}

net::ServerResponse ErrorResponse(const api::scheme::ApiError& error) {
  net::ServerResponse response = JsonResponse(error.code, api::scheme::ToStatusJson(error));
  if (error.retry_after_seconds > 0) {
    response.headers.push_back({"Retry-After", fmt::to_string(error.retry_after_seconds)});
  }
  if (error.code == 401) response.headers.push_back({"Connection", "close"});
  return response;
}

VersionedResponse ObjectResponse(int status, const ObjectForm& form,
                                 const store::ObjectPtr& object) {
  VersionedResponse versioned{ResponseHead(status, form), object->version};
  form.Append(object, true, versioned.response.body);
  return versioned;
}

VersionedResponse CreatedResponse(store::Version version) {
  return {JsonResponse(201, R"({"kind":"Status","apiVersion":"v1","metadata":{},)"
                            R"("status":"Success","code":201})"),
          version};
}

VersionedResponse DeletedResponse(const api::scheme::Kind& kind, const store::Object& object) {
  api::JsonWriter json;
  const auto field = [&json](std::string_view key, std::string_view value) {
    json.Key(key);
    json.String(value);
  };
  json.BeginObject();
  field("kind", "Status");
  field("apiVersion", "v1");
  json.Key("metadata");
  json.BeginObject();
  json.EndObject();
  field("status", "Success");
  json.Key("details");
  json.BeginObject();
  field("name", object.key.name);
  if (!kind.group.empty()) field("group", kind.group);
  field("kind", kind.resource);
  field("uid", object.uid);
  json.EndObject();
  json.EndObject();
  return {JsonResponse(200, json.Take()), object.version};
}

void AddWarnings(const std::vector<std::string>& warnings, net::ServerResponse& response) {
  size_t bytes = 0;
  for (const std::string& warning : warnings) {
    bytes += warning.size();
    if (bytes > kMaxWarningBytes) return;
    response.headers.push_back({"Warning", "299 - " + QuotedForHeader(warning)});
  }
}

}  // namespace berth::apiserver
