// LogRow turns an entry of the journal into columns of the database and back.
//
// Each row has a checksum over all its columns, since SQLite has none and a damaged object must not
// pass for a good one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "store/object.h"

namespace berth::store {

struct LogRow {
  int64_t version = 0;
  int64_t collection = 0;
  int64_t deleted = 0;
  int64_t version_at = 0;
  std::string_view namespace_;
  std::string_view name;
  std::string_view uid;
  std::string_view labels;  // As WriteList makes them: key, value, key, value ...
  std::string_view fields;
  std::string_view json;

  int64_t Checksum() const;
  // The object, or null if labels or fields cannot be read.
  ObjectPtr Read() const;
};

// Texts as one, each after its length: "3:app,5:berth,".
std::string WriteLabels(const std::vector<std::pair<std::string, std::string>>& labels);
std::string WriteList(const std::vector<std::string>& texts);
std::optional<std::vector<std::string>> ReadList(std::string_view list);

}  // namespace berth::store
