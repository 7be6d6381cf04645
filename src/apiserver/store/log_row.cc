#include "apiserver/store/log_row.h"

#include <fmt/format.h>
#include <zlib.h>

#include <charconv>
#include <iterator>
#include <memory>
#include <system_error>

namespace berth::apiserver::store {
namespace {

void AppendText(std::string& list, std::string_view text) {
  fmt::format_to(std::back_inserter(list), "{}:{},", text.size(), text);
}

// Spreads the bits of a row's checksum over 64, so that two wrong rows do not cancel out.
uint64_t DigestOf(int64_t version, int64_t checksum) {
  uint64_t mixed = static_cast<uint64_t>(version) * 0x9e3779b97f4a7c15;
  mixed ^= static_cast<uint64_t>(checksum) * 0xbf58476d1ce4e5b9;
  mixed = (mixed ^ (mixed >> 31)) * 0x94d049bb133111eb;
  return mixed ^ (mixed >> 29);
}

}  // namespace

std::string WriteLabels(const std::vector<std::pair<std::string, std::string>>& labels) {
  std::string list;
  for (const auto& [key, value] : labels) {
    AppendText(list, key);
    AppendText(list, value);
  }
  return list;
}

std::string WriteList(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) AppendText(list, text);
  return list;
}

std::optional<std::vector<std::string>> ReadList(std::string_view list) {
  std::vector<std::string> texts;
  while (!list.empty()) {
    size_t size = 0;
    const auto [at, error] = std::from_chars(list.data(), list.data() + list.size(), size);
    if (error != std::errc()) return std::nullopt;
    list.remove_prefix(static_cast<size_t>(at - list.data()));
    // A colon, the text, a comma.
    if (list.size() < 2 || list.size() - 2 < size || list[0] != ':' || list[size + 1] != ',') {
      return std::nullopt;
    }
    texts.emplace_back(list.substr(1, size));
    list.remove_prefix(size + 2);
  }
  return texts;
}

RowChecksum& RowChecksum::Add(int64_t number) {
  sum_ = crc32_z(sum_, reinterpret_cast<const Bytef*>(&number), sizeof number);
  return *this;
}

RowChecksum& RowChecksum::Add(std::string_view text) {
  Add(static_cast<int64_t>(text.size()));
  // With a null pointer zlib would start again.
  if (!text.empty()) {
    sum_ = crc32_z(sum_, reinterpret_cast<const Bytef*>(text.data()), text.size());
  }
  return *this;
}

int64_t LogRow::Checksum() const {
  RowChecksum sum;
  for (const int64_t number : {version, collection, deleted, version_at}) sum.Add(number);
  for (const std::string_view text : {namespace_, name, uid, labels, fields, json}) sum.Add(text);
  return sum.value();
}

ObjectPtr LogRow::Read() const {
  auto label_texts = ReadList(labels);
  auto field_texts = ReadList(fields);
  if (!label_texts || label_texts->size() % 2 != 0 || !field_texts) return nullptr;
  if (version <= 0 || version_at < 0) return nullptr;
  const auto at = static_cast<size_t>(version_at);
  if (deleted == 0 && (at > json.size() || !json.substr(at).starts_with(fmt::to_string(version)))) {
    return nullptr;
  }
  auto object = std::make_shared<Object>();
  object->key = {std::string(namespace_), std::string(name)};
  object->uid = uid;
  object->version = static_cast<Version>(version);
  for (size_t i = 0; i < label_texts->size(); i += 2) {
    object->labels.emplace_back(std::move((*label_texts)[i]), std::move((*label_texts)[i + 1]));
  }
  object->fields = std::move(*field_texts);
  object->json = json;
  object->version_at = at;
  return object;
}

void LogTotals::Add(int64_t version, int64_t checksum) {
  ++rows;
  digest = static_cast<int64_t>(static_cast<uint64_t>(digest) + DigestOf(version, checksum));
}

void LogTotals::Remove(int64_t version, int64_t checksum) {
  --rows;
  digest = static_cast<int64_t>(static_cast<uint64_t>(digest) - DigestOf(version, checksum));
}

int64_t LogState::Checksum() const {
  RowChecksum sum;
  for (const int64_t number :
       {identity, first, reserved, last, totals.rows, totals.digest, collections}) {
    sum.Add(number);
  }
  return sum.value();
}

}  // namespace berth::apiserver::store
