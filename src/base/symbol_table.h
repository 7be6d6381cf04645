// StringTable interns strings: each distinct one gets a small integer (an id), by which it is
// compared, hashed and stored, while a StringHolder holds it.
//
// A string can only be interned through a holder, and is removed with the last one that holds it:
// the table is as large as what is in use now, whatever it held before. Code that stores an id has
// a holder, or relies on one that lives longer. Ids are reused, the lowest ones first, so that the
// same calls give the same ids.
//
// Owned by one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/id.h"
#include "base/string_hash.h"

namespace berth {

// What tables of all types of ids share.
class CountedStrings {
 public:
  // Returns the id of `text`, adding it if it is new, and counts one more holder.
  uint32_t Acquire(std::string_view text);
  void Retain(uint32_t id) { ++At(id)->second.holders; }
  // Counts one holder fewer; the last one removes the string.
  void Release(uint32_t id);

  uint32_t Find(std::string_view text) const;
  const std::string& Text(uint32_t id) const { return At(id)->first; }
  uint32_t holders(uint32_t id) const { return At(id)->second.holders; }
  size_t size() const { return strings_.size(); }
  // An upper bound of all ids.
  size_t capacity() const { return pages_.size() * Page::kSlots; }

 private:
  struct Use {
    uint32_t id = 0;
    uint32_t holders = 0;
  };
  using Strings = std::unordered_map<std::string, Use, StringHash, std::equal_to<>>;

  // A page without strings is deallocated: a table that was large once does not stay so.
  struct Page {
    static constexpr size_t kSlots = 256;
    std::array<Strings::value_type*, kSlots> strings{};  // Null if the id is free.
    size_t used = 0;
    size_t lowest_free = 0;  // No lower id of this page is free.
  };

  Strings::value_type* At(uint32_t id) const {
    return pages_[id / Page::kSlots]->strings[id % Page::kSlots];
  }
  uint32_t TakeId(Strings::value_type* string);
  void FreeId(uint32_t id);

  Strings strings_;
  std::vector<std::unique_ptr<Page>> pages_;
  std::set<uint32_t> open_pages_;  // Those with free ids.
};

template <typename IdType>
class StringHolder;

template <typename IdType>
class StringTable {
 public:
  StringTable() = default;
  StringTable(const StringTable&) = delete;
  StringTable& operator=(const StringTable&) = delete;

  // Returns the id of `text`, or an invalid one if nobody holds it.
  IdType Find(std::string_view text) const { return IdType{strings_.Find(text)}; }

  // Returns the string of `id`, valid while it is held.
  const std::string& Text(IdType id) const { return strings_.Text(id.value); }

  // The number of strings, and of the holds on one of them.
  size_t size() const { return strings_.size(); }
  uint32_t holders(IdType id) const { return strings_.holders(id.value); }
  // An upper bound of all ids.
  size_t capacity() const { return strings_.capacity(); }

 private:
  friend class StringHolder<IdType>;
  CountedStrings strings_;
};

// StringHolder interns strings in a table, and holds them until it is destroyed.
template <typename IdType>
class StringHolder {
 public:
  // `table` must outlive the holder.
  explicit StringHolder(StringTable<IdType>& table) : strings_(&table.strings_) {}
  ~StringHolder() { Clear(); }
  StringHolder(StringHolder&& other) noexcept
      : strings_(other.strings_), held_(std::exchange(other.held_, {})) {}
  StringHolder& operator=(StringHolder&& other) noexcept {
    std::swap(strings_, other.strings_);
    std::swap(held_, other.held_);
    return *this;
  }

  // Returns the id of `text`, and holds it; adds the string on first use.
  IdType Intern(std::string_view text) {
    const IdType id{strings_->Acquire(text)};
    held_.push_back(id);
    return id;
  }
  // Holds a string that others hold, too.
  void Hold(IdType id) {
    strings_->Retain(id.value);
    held_.push_back(id);
  }
  // Prepares for `more` strings.
  void Reserve(size_t more) { held_.reserve(held_.size() + more); }
  void Clear() {
    for (IdType id : held_) strings_->Release(id.value);
    // A holder that is used again and again does not retain a large buffer.
    constexpr size_t kMaxRetained = 64;
    if (held_.capacity() > kMaxRetained) held_ = std::vector<IdType>();
    held_.clear();
  }

  // In the order of the calls, with repetitions.
  std::span<const IdType> held() const { return held_; }

 private:
  CountedStrings* strings_;
  std::vector<IdType> held_;
};

// Label keys and values, namespaces, and the names of nodes, images and claims. Pod names and uids,
// which do not repeat, are not interned.
using Symbol = Id<struct SymbolTag>;
using SymbolTable = StringTable<Symbol>;
using SymbolHolder = StringHolder<Symbol>;

}  // namespace berth
