#include "cmd/conformance_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

#include "api/json/document.h"
#include "api/json/writer.h"

namespace berth::cmd {

Result<CaseFile> CaseFile::Read(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return Fail(fmt::format("{}: is a directory; expected case files", path));
  }
  errno = 0;
  // gzread also reads files that are not gzipped.
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose_r);
  if (file == nullptr) {
    return Fail(fmt::format("{}: {}", path, std::strerror(errno != 0 ? errno : ENOMEM)));
  }
  CaseFile result;
  constexpr size_t kChunk = 1 << 20;
  for (;;) {
    const size_t size = result.text_.size();
    result.text_.resize(size + kChunk);
    const int count = gzread(file.get(), result.text_.data() + size, kChunk);
    result.text_.resize(size + (count > 0 ? static_cast<size_t>(count) : 0));
    if (count > 0) continue;
    int code = Z_OK;
    const char* why = gzerror(file.get(), &code);
    if (code == Z_OK || code == Z_STREAM_END) return result;
    return Fail(fmt::format("{}: {}", path, code == Z_ERRNO ? std::strerror(errno) : why));
  }
}

std::vector<CaseFile::Row> CaseFile::rows() const {
  std::vector<Row> rows;
  std::string_view rest = text_;
  for (size_t line = 1; !rest.empty(); ++line) {
    const size_t end = rest.find('\n');
    std::string_view text = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (text.find_first_not_of(" \t\r") != std::string_view::npos) rows.push_back({line, text});
  }
  return rows;
}

void JsonFields::AddError(std::string_view key, std::string_view what) {
  if (!error_) error_ = Error{fmt::format("field \"{}\": {}", key, what)};
}

Status JsonFields::status() const {
  if (error_) return std::unexpected(*error_);
  return {};
}

std::optional<JsonFields::Value> JsonFields::Find(Value object, std::string_view key) {
  const api::Json* document = object.value();
  if (!document || !document->is_object()) {
    AddError(key, "its parent is not an object");
    return std::nullopt;
  }
  const Value value = object[key];
  return value ? std::optional(value) : std::nullopt;
}

JsonFields::Value JsonFields::Require(Value object, std::string_view key) {
  const auto found = Find(object, key);
  if (!found) AddError(key, "missing");
  return found.value_or(object);
}

std::string JsonFields::StringOf(Value value, std::string_view key) {
  if (!value.value()->is_string()) AddError(key, "must be a string");
  return std::string(value.text());
}

int64_t JsonFields::IntOf(Value value, std::string_view key) {
  if (const int64_t* number = value.value()->if_int64()) return *number;
  AddError(key, "must be a 64-bit integer");
  return 0;
}

std::string JsonFields::String(Value object, std::string_view key) {
  return OptionalString(object, key).value_or("");
}

std::optional<std::string> JsonFields::OptionalString(Value object, std::string_view key) {
  const auto found = Find(object, key);
  if (!found) return std::nullopt;
  return StringOf(*found, key);
}

int64_t JsonFields::Int(Value object, std::string_view key) {
  const auto found = Find(object, key);
  return found ? IntOf(*found, key) : 0;
}

bool JsonFields::Bool(Value object, std::string_view key) {
  const auto found = Find(object, key);
  if (found && !found->value()->is_bool()) AddError(key, "must be true or false");
  return found && found->flag();
}

std::vector<JsonFields::Value> JsonFields::List(Value object, std::string_view key) {
  const auto found = Find(object, key);
  if (found && !found->value()->is_array()) AddError(key, "must be a list");
  return found ? found->items() : std::vector<Value>();
}

std::map<std::string, JsonFields::Value> JsonFields::Fields(Value object, std::string_view key) {
  std::map<std::string, Value> result;
  const auto found = Find(object, key);
  if (!found) return result;
  if (!found->value()->is_object()) AddError(key, "must be an object");
  for (const auto& [name, value] : found->fields()) result.emplace(name, value);
  return result;
}

std::vector<std::string> JsonFields::Strings(Value object, std::string_view key) {
  std::vector<std::string> result;
  for (const Value item : List(object, key)) result.push_back(StringOf(item, key));
  return result;
}

std::map<std::string, int64_t> JsonFields::Ints(Value object, std::string_view key) {
  std::map<std::string, int64_t> result;
  for (const auto& [name, value] : Fields(object, key)) {
    result.emplace(name, IntOf(value, name));
  }
  return result;
}

std::string JsonText(JsonFields::Value value) { return api::ToJsonText(*value.value()); }

}  // namespace berth::cmd
