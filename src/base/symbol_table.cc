#include "base/symbol_table.h"

#include <algorithm>

#include "base/check.h"

namespace berth {

uint32_t CountedStrings::Acquire(std::string_view text) {
  auto found = strings_.find(text);
  if (found == strings_.end()) {
    found = strings_.try_emplace(std::string(text)).first;
    found->second.id = TakeId(&*found);
  }
  ++found->second.holders;
  return found->second.id;
}

void CountedStrings::Release(uint32_t id) {
  Strings::value_type* const string = At(id);
  CHECK(string != nullptr && string->second.holders > 0);
  if (--string->second.holders > 0) return;
  FreeId(id);
  strings_.erase(strings_.find(string->first));
  // Erasing does not give back the buckets of a map that was large once.
  constexpr size_t kSparse = 8;
  if (strings_.bucket_count() > kSparse * (strings_.size() + Page::kSlots)) strings_.rehash(0);
}

uint32_t CountedStrings::Find(std::string_view text) const {
  const auto found = strings_.find(text);
  return found == strings_.end() ? Id<void>::kNone : found->second.id;
}

uint32_t CountedStrings::TakeId(Strings::value_type* string) {
  if (open_pages_.empty()) {
    open_pages_.insert(static_cast<uint32_t>(pages_.size()));
    pages_.emplace_back();
  }
  const uint32_t number = *open_pages_.begin();
  std::unique_ptr<Page>& page = pages_[number];
  if (page == nullptr) page = std::make_unique<Page>();
  size_t slot = page->lowest_free;
  while (page->strings[slot] != nullptr) ++slot;
  page->strings[slot] = string;
  page->lowest_free = slot + 1;
  if (++page->used == Page::kSlots) open_pages_.erase(number);
  return static_cast<uint32_t>(number * Page::kSlots + slot);
}

void CountedStrings::FreeId(uint32_t id) {
  const auto number = static_cast<uint32_t>(id / Page::kSlots);
  std::unique_ptr<Page>& page = pages_[number];
  page->strings[id % Page::kSlots] = nullptr;
  page->lowest_free = std::min<size_t>(page->lowest_free, id % Page::kSlots);
  if (page->used == Page::kSlots) open_pages_.insert(number);
  if (--page->used > 0) return;
  page = nullptr;
  while (!pages_.empty() && pages_.back() == nullptr) {
    pages_.pop_back();
    open_pages_.erase(static_cast<uint32_t>(pages_.size()));
  }
}

}  // namespace berth
