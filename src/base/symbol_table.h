// SymbolTable gives each distinct string a small number, so that strings are compared, hashed and
// stored as integers.
//
// A symbol is never forgotten: the table grows with the number of distinct strings ever seen. It
// holds label keys and values, namespaces, and node and resource names, which repeat; pod names and
// uids, which do not, stay out of it.
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

  // Returns the symbol of `text`, making it on first sight.
  Symbol Intern(std::string_view text);

  // Returns the symbol of `text`, or an invalid one if it was never interned.
  Symbol Find(std::string_view text) const;

  // The string of `symbol`; valid as long as the table.
  const std::string& Text(Symbol symbol) const { return texts_[symbol.index()]; }

  size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string> texts_;  // A deque never moves its strings: the map's keys point into it.
  std::unordered_map<std::string_view, Symbol> symbols_;
};

}  // namespace berth
