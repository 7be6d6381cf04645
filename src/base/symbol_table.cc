#include "base/symbol_table.h"

namespace berth {

Symbol SymbolTable::Intern(std::string_view text) {
  if (auto found = symbols_.find(text); found != symbols_.end()) return found->second;
  const Symbol symbol{static_cast<uint32_t>(texts_.size())};
  const std::string& stored = texts_.emplace_back(text);
  symbols_.emplace(stored, symbol);
  return symbol;
}

Symbol SymbolTable::Find(std::string_view text) const {
  auto found = symbols_.find(text);
  return found == symbols_.end() ? Symbol{} : found->second;
}

}  // namespace berth
