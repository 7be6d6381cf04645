#include "base/text_table.h"

#include <algorithm>

namespace berth {

size_t DisplayWidth(std::string_view text) {
  return static_cast<size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string TextTable::ToString() const {
  constexpr std::string_view kGap = "  ";
  std::vector<size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) {
      const size_t width = DisplayWidth(row[i]);
      if (width <= widest_) widths[i] = std::max(widths[i], width);
    }
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line = indent_;
    for (size_t i = 0; i < row.size(); ++i) {
      const size_t width = DisplayWidth(row[i]);
      const std::string padding(width < widths[i] ? widths[i] - width : 0, ' ');
      const bool right = i < align_.size() && align_[i] == Align::kRight;
      if (i > 0) line += kGap;
      line += right ? padding + row[i] : row[i] + padding;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace berth
