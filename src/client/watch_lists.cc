// Lists, page by page: the objects' own texts are found first and then read one by one, so that
// one that cannot be read does not spoil the others.
#include <simdjson.h>

#include <string>
#include <utility>
#include <vector>

#include "client/watch_events.h"
#include "kinds/protobuf_body.h"
#include "kinds/protobuf_objects.h"

namespace berth::client {
namespace {

namespace ondemand = simdjson::ondemand;

Result<ListPage> Broken(std::string_view why) {
  return Fail("the list cannot be read: " + std::string(why));
}

Result<ListPage> ReadProtobuf(std::string_view body, const ObjectCodec& codec) {
  if (codec.protobuf == nullptr) return Broken("it is protobuf, which was not asked for");
  const auto envelope = apiserver::OpenProtobufEnvelope(body);
  if (!envelope) return Broken(envelope.error());
  const auto list = apiserver::ReadProtobufList(envelope->object);
  if (!list) return Broken(list.error().message);
  ListPage page{std::string(list->resource_version), std::string(list->continue_token), {}};
  page.items.reserve(list->items.size());
  for (const std::string_view item : list->items) {
    page.items.push_back(ReceiveItem(item, WireForm::kProtobuf, codec));
  }
  return page;
}

// The members of the list's metadata that are strings; others are of no interest.
simdjson::error_code ReadMetadata(ondemand::object metadata, ListPage& page) {
  for (auto field : metadata) {
    std::string_view key;
    if (const auto error = field.unescaped_key().get(key)) return error;
    const bool is_version = key == "resourceVersion";
    if (!is_version && key != "continue") continue;
    std::string_view text;
    if (const auto error = field.value().get_string().get(text)) return error;
    (is_version ? page.resource_version : page.continue_token) = text;
  }
  return simdjson::SUCCESS;
}

simdjson::error_code ReadItems(ondemand::array items, const ObjectCodec& codec, ListPage& page) {
  for (auto item : items) {
    ondemand::object object;
    std::string_view text;
    if (const auto error = item.get_object().get(object)) return error;
    if (const auto error = object.raw_json().get(text)) return error;
    page.items.push_back(ReceiveItem(text, WireForm::kJson, codec));
  }
  return simdjson::SUCCESS;
}

simdjson::error_code ReadRoot(ondemand::object root, const ObjectCodec& codec, ListPage& page,
                              bool& has_items) {
  for (auto field : root) {
    std::string_view key;
    if (const auto error = field.unescaped_key().get(key)) return error;
    if (key == "metadata") {
      ondemand::object metadata;
      if (const auto error = field.value().get_object().get(metadata)) return error;
      if (const auto error = ReadMetadata(metadata, page)) return error;
    } else if (key == "items") {
      has_items = true;
      bool is_null = false;
      if (const auto error = field.value().is_null().get(is_null)) return error;
      if (is_null) continue;
      ondemand::array items;
      if (const auto error = field.value().get_array().get(items)) return error;
      if (const auto error = ReadItems(items, codec, page)) return error;
    }
  }
  return simdjson::SUCCESS;
}

}  // namespace

Result<ListPage> ReadListPage(std::string body, WireForm form, const ObjectCodec& codec) {
  if (form == WireForm::kProtobuf) return ReadProtobuf(body, codec);
  const size_t size = body.size();
  body.reserve(size + simdjson::SIMDJSON_PADDING);
  ondemand::parser parser;
  ondemand::document document;
  ondemand::object root;
  ListPage page;
  bool has_items = false;
  auto error = parser.iterate(body.data(), size, body.capacity()).get(document);
  if (!error) error = document.get_object().get(root);
  if (!error) error = ReadRoot(root, codec, page, has_items);
  if (error) return Broken(simdjson::error_message(error));
  if (!has_items) return Broken("it has no items");
  return page;
}

}  // namespace berth::client
