// SymbolTable interns strings: each distinct one gets a small integer, by which it is compared,
// hashed and stored.
//
// Symbols are never removed: the table grows with the number of distinct strings ever interned. It
// holds label keys and values, namespaces, and node and resource names, which repeat; pod names and
// uids, which do not repeat, are not interned.
//
// Owned by one thread.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/id.h"

namespace berth {

using Symbol = Id<struct SymbolTag>;

class SymbolTable {
 public:
  SymbolTable() = default;
  SymbolTable(const SymbolTable&) = delete;
  SymbolTable& operator=(const SymbolTable&) = delete;

  // Returns the symbol of `text`; adds it on first use.
  Symbol Intern(std::string_view text);

  // Returns the symbol of `text`, or an invalid one if it was never interned.
  Symbol Find(std::string_view text) const;

  // Returns the string of `symbol`; valid as long as the table.
  const std::string& Text(Symbol symbol) const { return texts_[symbol.index()]; }

  size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string>
      texts_;  // A deque never moves its elements: the map's keys point to them.
  std::unordered_map<std::string_view, Symbol> symbols_;
};

}  // namespace berth
