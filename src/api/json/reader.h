// JsonReader walks one JSON document with simdjson On-Demand, checks what it is asked to read, and
// keeps the first problem together with the path of the field that has it.
//
// After a problem every call is a no-op, so callers read on without checking and ask ok() at the
// end. Within the fields that are read, a duplicate key, a wrong type, a number out of range and
// bad syntax are problems. A value that nobody reads is skipped without a look inside, apart from
// its nesting. Invalid UTF-8, control characters in strings and unclosed strings are found
// everywhere.
//
// Reusable: Open forgets the document before. Used by one thread at a time; keeps its buffers.
#pragma once

#include <simdjson.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "api/json/json_text.h"
#include "api/quantity.h"
#include "base/time.h"

namespace berth::api {

class JsonReader {
 public:
  using Value = simdjson::ondemand::value;
  using Object = simdjson::ondemand::object;

  // Starts on `json`, which is copied. `first_line` is the number of its first line in error
  // messages.
  void Open(std::string_view json, size_t first_line = 1);

  // The document's object; not an object is a problem.
  Object Root();
  // To be called when the root has been read: anything after it is a problem.
  void CheckEnd();

  bool ok() const { return !failed_; }
  // "spec.containers[0].image: expected a string, found 5"; the part before the colon is left out
  // if the problem belongs to the document. Empty while ok().
  std::string problem() const {
    return path_text_.empty() ? problem_ : path_text_ + ": " + problem_;
  }

  // Paths are told from the value being read; to be called again, with false, when it has been
  // read.
  void RelativePaths(bool here) { path_begin_ = here ? path_.size() : 0; }

  // Records a problem with the value being read, unless there is one already.
  void Fail(std::string problem);

  // The value of the first field named `key`, if there is one and it is not null. `object` must be
  // unread; the fields before are skipped without a look.
  std::optional<Value> Find(Object& object, std::string_view key);
  // The same for a string; a value of another type is a problem. `object` is unread again
  // afterwards.
  std::optional<std::string> Peek(Object& object, std::string_view key);

  // `value` as an object; anything else is a problem.
  Object AsObject(Value value);

  // Calls on_field(key, value) for each field; on_field returns false for a field that it does not
  // want. Null fields are left out: null means absent. `key` lives as long as the document.
  template <typename OnField>
  void ReadFields(Object& object, OnField&& on_field);
  template <typename OnField>
  void ReadObject(Value value, OnField&& on_field);

  // Calls on_entry(key, value) for each entry of a map, nulls included; on_entry returns false if
  // it has had the key before.
  template <typename OnEntry>
  void ReadMap(Value value, OnEntry&& on_entry);

  // Calls on_element(value) for each element, nulls included.
  template <typename OnElement>
  void ReadArray(Value value, OnElement&& on_element);

  bool IsNull(Value value);
  bool IsArray(Value value) { return Token(value) == "["; }
  void Read(Value value, std::string& out);
  void Read(Value value, bool& out);
  void Read(Value value, int32_t& out);
  void Read(Value value, int64_t& out);
  void Read(Value value, Quantity& out);
  void Read(Value value, Instant& out);

 private:
  struct Step {
    std::string_view key;  // No data for an element of a list.
    size_t index = 0;
  };

  // The keys of one object, to find duplicates. Almost always a single bit test.
  class KeySet {
   public:
    // `stack` is shared with the objects around this one.
    explicit KeySet(std::vector<std::string_view>& stack) : stack_(stack), begin_(stack.size()) {}
    ~KeySet() { stack_.resize(begin_); }
    KeySet(const KeySet&) = delete;
    KeySet& operator=(const KeySet&) = delete;

    // False if `key` is there already.
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
    std::unordered_set<std::string_view> many_;  // In use once the object is unusually large.
  };

  // The text of a scalar, or the bracket that opens a list or an object.
  static std::string_view Token(Value& value);
  bool StartArray(Value& value, simdjson::ondemand::array& array);
  bool ReadKey(simdjson::simdjson_result<simdjson::ondemand::field>& field, std::string_view& key);
  std::optional<std::string_view> ReadText(Value& value);
  bool ReadInteger(Value& value, int64_t low, int64_t high, int64_t& out);
  void Skip(Value value);

  void FailType(std::string_view expected, Value& value);
  void FailSyntax(simdjson::error_code error);
  std::string PathText() const;
  std::string PlaceText(const char* location) const;

  simdjson::ondemand::parser parser_;
  std::string buffer_;
  size_t size_ = 0;  // Of the document in the buffer; padding follows.
  size_t first_line_ = 1;
  simdjson::ondemand::document document_;

  std::vector<Step> path_;
  size_t path_begin_ = 0;  // Where the path told begins.
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
    if (!ReadKey(field, key)) return;
    path_.back().key = key;
    if (!seen.Add(key)) return Fail("duplicate key");
    Value value = field.value_unsafe().value();
    if (!IsNull(value) && !failed_ && !on_field(key, value)) Skip(value);
    if (failed_) return;
  }
  path_.pop_back();
}

template <typename OnField>
void JsonReader::ReadObject(Value value, OnField&& on_field) {
  Object object = AsObject(value);
  ReadFields(object, on_field);
}

template <typename OnEntry>
void JsonReader::ReadMap(Value value, OnEntry&& on_entry) {
  Object object = AsObject(value);
  if (failed_) return;
  path_.emplace_back();
  for (auto field : object) {
    std::string_view key;
    if (!ReadKey(field, key)) return;
    path_.back().key = key;
    if (!on_entry(key, field.value_unsafe().value())) Fail("duplicate key");
    if (failed_) return;
  }
  path_.pop_back();
}

template <typename OnElement>
void JsonReader::ReadArray(Value value, OnElement&& on_element) {
  simdjson::ondemand::array array;
  if (!StartArray(value, array)) return;
  path_.emplace_back();
  for (auto element : array) {
    Value item;
    if (const auto error = element.get(item)) return FailSyntax(error);
    on_element(item);
    if (failed_) return;
    ++path_.back().index;
  }
  path_.pop_back();
}

}  // namespace berth::api
