#include "store/log_row.h"

#include <fmt/format.h>
#include <zlib.h>

#include <charconv>
#include <iterator>
#include <memory>

namespace berth::store {
namespace {

void Append(std::string& list, std::string_view text) {
  fmt::format_to(std::back_inserter(list), "{}:{},", text.size(), text);
}

}  // namespace

std::string WriteLabels(const std::vector<std::pair<std::string, std::string>>& labels) {
  std::string list;
  for (const auto& [key, value] : labels) {
    Append(list, key);
    Append(list, value);
  }
  return list;
}

std::string WriteList(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) Append(list, text);
  return list;
}

std::optional<std::vector<std::string>> ReadList(std::string_view list) {
  std::vector<std::string> texts;
  while (!list.empty()) {
    size_t size = 0;
    const auto [at, error] = std::from_chars(list.data(), list.data() + list.size(), size);
    if (error != std::errc()) return std::nullopt;
    list.remove_prefix(static_cast<size_t>(at - list.data()));
    // The colon, the text, the comma.
    if (list.size() < 2 || list.size() - 2 < size || list[0] != ':' || list[size + 1] != ',') {
      return std::nullopt;
    }
    texts.emplace_back(list.substr(1, size));
    list.remove_prefix(size + 2);
  }
  return texts;
}

int64_t LogRow::Checksum() const {
  uLong sum = crc32_z(0, nullptr, 0);
  const auto add = [&](const void* data, size_t size) {
    sum = crc32_z(sum, static_cast<const Bytef*>(data), size);
  };
  const std::string_view texts[] = {namespace_, name, uid, labels, fields, json};
  for (const int64_t number : {version, collection, deleted, version_at})
    add(&number, sizeof number);
  for (const std::string_view text : texts) {
    const uint64_t size = text.size();
    add(&size, sizeof size);
    if (size > 0) add(text.data(), size);
  }
  return static_cast<int64_t>(sum);
}

ObjectPtr LogRow::Read() const {
  auto label_texts = ReadList(labels);
  auto field_texts = ReadList(fields);
  if (!label_texts || label_texts->size() % 2 != 0 || !field_texts) return nullptr;
  auto object = std::make_shared<Object>();
  object->key = {std::string(namespace_), std::string(name)};
  object->uid = uid;
  object->version = static_cast<Version>(version);
  for (size_t i = 0; i < label_texts->size(); i += 2) {
    object->labels.emplace_back(std::move((*label_texts)[i]), std::move((*label_texts)[i + 1]));
  }
  object->fields = std::move(*field_texts);
  object->json = json;
  object->version_at = static_cast<size_t>(version_at);
  return object;
}

}  // namespace berth::store
