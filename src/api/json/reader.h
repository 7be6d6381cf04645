// JsonReader iterates over one JSON document with simdjson On-Demand, validates the values it
// reads, and records the first problem with the path of its field.
//
// After a problem every call is a no-op, so callers need to check ok() only at the end. Among the
// fields that are read, a duplicate key, a wrong type, a number out of range and bad syntax are
// problems. Skipped values are not validated, except for their nesting. Invalid UTF-8, control
// characters in strings and unclosed strings are found everywhere.
//
// A tolerant reader leaves out values that are wrong, notes them in UndecodableFields, and goes on.
// Only what concerns the document is a problem then: its syntax, and what callers of Fail say.
//
// Open discards the previous document and reuses its buffers. Used by one thread at a time.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/json_text.h"
#include "api/meta.h"
#include "api/quantity.h"
#include "api/undecodable_fields.h"
#include "base/time.h"

namespace berth::api {

class JsonReader {
 public:
  using Value = simdjson::ondemand::value;
  using Object = simdjson::ondemand::object;

  // Starts reading a copy of `json`. `first_line` is the number of its first line in errors. The
  // reader is tolerant if `undecodable` is not null, which must outlive the reading.
  void Open(std::string_view json, size_t first_line = 1, UndecodableFields* undecodable = nullptr);

  // Returns the document's object; any other type is a problem.
  Object Root();
  // Must be called after the root has been read: any text after it is a problem.
  void CheckEnd();

  bool ok() const { return !failed_; }
  // Returns the first problem, for example "spec.containers[0].image: expected a string, found 5";
  // without a path if it concerns the document, and empty while ok().
  std::string problem() const {
    return path_text_.empty() ? problem_ : path_text_ + ": " + problem_;
  }

  // With true, reports paths relative to the value being read; with false, to the document.
  void RelativePaths(bool here) { path_begin_ = here ? path_.size() : 0; }

  // Records a problem of the document at the value being read, unless one is already recorded.
  void Fail(std::string problem);

  // Returns the value of the first field named `key`, or nullopt if it is absent or null. `object`
  // must be unread; the fields before are skipped without validation.
  std::optional<Value> Find(Object& object, std::string_view key);
  // Returns the string named `key` like Find; another type is a problem. Rewinds `object`.
  std::optional<std::string> Peek(Object& object, std::string_view key);

  // Returns `value` as an object; any other type is a problem.
  std::optional<Object> AsObject(Value value);

  // Returns the text of `object`, which is unread and stays so. Its syntax is not checked.
  std::string_view TextOf(Object& object);

  // Calls on_field(key, value) for each field that is not null; on_field returns false to skip the
  // field. `key` is valid as long as the document.
  template <typename OnField>
  void ReadFields(Object& object, OnField&& on_field);

  // The functions below return false if the value has another type or cannot be read: it is to be
  // left out.

  template <typename OnField>
  bool ReadObject(Value value, OnField&& on_field);

  // Calls on_entry(key, value) for each entry of a map, nulls included; on_entry returns false if
  // the key is a duplicate.
  template <typename OnEntry>
  bool ReadMap(Value value, OnEntry&& on_entry);

  // Calls on_element(value) for each element, nulls included.
  template <typename OnElement>
  bool ReadArray(Value value, OnElement&& on_element);

  bool Read(Value value, std::string& out);
  bool Read(Value value, bool& out);
  bool Read(Value value, int32_t& out);
  bool Read(Value value, int64_t& out);
  bool Read(Value value, Quantity& out);
  bool Read(Value value, Instant& out);
  // Any value, which must be valid JSON; without white space between its tokens.
  bool Read(Value value, RawJson& out);

  bool IsNull(Value value);
  bool IsArray(Value value) { return Token(value) == "["; }
  bool IsObject(Value value) { return Token(value) == "{"; }

 private:
  struct Step {
    std::string_view key;  // data() is null for an element of a list.
    size_t index = 0;
  };

  // The keys of one object, to detect duplicates. Almost always a single bit test.
  class KeySet {
   public:
    // `stack` is shared with the enclosing objects.
    explicit KeySet(std::vector<std::string_view>& stack) : stack_(stack), begin_(stack.size()) {}
    ~KeySet() { stack_.resize(begin_); }
    KeySet(const KeySet&) = delete;
    KeySet& operator=(const KeySet&) = delete;

    // Returns false if `key` is already in the set.
    bool Add(std::string_view key) {
      const uint64_t bit = uint64_t{1} << (Mix(key) % 64);
      if ((bits_ & bit) != 0 && Contains(key)) return false;
      bits_ |= bit;
      stack_.push_back(key);
      return true;
    }

   private:
    static size_t Mix(std::string_view key) {
      if (key.empty()) return 0;
      return key.size() * 7 + static_cast<unsigned char>(key.front()) +
             static_cast<size_t>(static_cast<unsigned char>(key[key.size() / 2])) * 3 +
             static_cast<size_t>(static_cast<unsigned char>(key.back())) * 5;
    }
    bool Contains(std::string_view key);

    std::vector<std::string_view>& stack_;
    size_t begin_;
    uint64_t bits_ = 0;
    std::set<std::string_view> many_;  // Used for unusually large objects.
  };

  // Returns the text of a scalar, or the opening bracket of a list or an object.
  static std::string_view Token(Value& value);
  bool StartArray(Value& value, simdjson::ondemand::array& array);
  bool ReadKey(simdjson::simdjson_result<simdjson::ondemand::field>& field, std::string_view& key);
  std::optional<std::string_view> ReadText(Value& value);
  bool ReadInteger(Value& value, int64_t low, int64_t high, int64_t& out);
  void Skip(Value value);
  // Moves past `value` and returns its text, within which syntax is not checked.
  std::string_view PassOver(Value value);

  // The value being read is wrong: a tolerant reader leaves it out, another one fails.
  void Reject(std::string problem);
  void RejectType(std::string_view expected, Value& value);
  void FailSyntax(simdjson::error_code error);
  std::string PathText() const;
  std::string PlaceText(const char* location) const;

  simdjson::ondemand::parser parser_;
  std::string buffer_;
  size_t size_ = 0;  // Of the document in the buffer; padding follows.
  size_t first_line_ = 1;
  simdjson::ondemand::document document_;

  UndecodableFields* undecodable_ = nullptr;  // Of a tolerant reader.
  std::vector<Step> path_;
  size_t path_begin_ = 0;  // Where reported paths begin.
  std::vector<std::string_view> keys_;
  bool failed_ = false;
  std::string path_text_;
  std::string problem_;
};

template <typename OnField>
void JsonReader::ReadFields(Object& object, OnField&& on_field) {
  if (failed_) return;
  KeySet seen(keys_);
  path_.emplace_back();
  for (auto field : object) {
    std::string_view key;
    if (!ReadKey(field, key)) {
      if (failed_) return;
      continue;
    }
    path_.back().key = key;
    Value value = field.value_unsafe().value();
    if (!seen.Add(key)) {
      Reject("duplicate key");
    } else if (!IsNull(value) && !failed_ && !on_field(key, value)) {
      Skip(value);
    }
    if (failed_) return;
  }
  path_.pop_back();
}

template <typename OnField>
bool JsonReader::ReadObject(Value value, OnField&& on_field) {
  std::optional<Object> object = AsObject(value);
  if (object) ReadFields(*object, on_field);
  return object.has_value();
}

template <typename OnEntry>
bool JsonReader::ReadMap(Value value, OnEntry&& on_entry) {
  std::optional<Object> object = AsObject(value);
  if (!object) return false;
  path_.emplace_back();
  for (auto field : *object) {
    std::string_view key;
    if (ReadKey(field, key)) {
      path_.back().key = key;
      if (!on_entry(key, field.value_unsafe().value())) Reject("duplicate key");
    }
    if (failed_) return false;
  }
  path_.pop_back();
  return true;
}

template <typename OnElement>
bool JsonReader::ReadArray(Value value, OnElement&& on_element) {
  simdjson::ondemand::array array;
  if (!StartArray(value, array)) return false;
  path_.emplace_back();
  for (auto element : array) {
    Value item;
    if (const auto error = element.get(item)) {
      FailSyntax(error);
      return false;
    }
    on_element(item);
    if (failed_) return false;
    ++path_.back().index;
  }
  path_.pop_back();
  return true;
}

}  // namespace berth::api
