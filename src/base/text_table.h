// TextTable formats rows in columns, each as wide as its widest cell; the last one is not padded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth {

class TextTable {
 public:
  enum class Align { kLeft, kRight };

  // `indent` precedes every line. Columns without an entry in `align` are left-aligned.
  explicit TextTable(std::string indent = "", std::vector<Align> align = {})
      : indent_(std::move(indent)), align_(std::move(align)) {}

  // Cells wider than `width` overflow instead of widening their column.
  void set_widest(size_t width) { widest_ = width; }

  void Add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  // Every line ends with a newline, without trailing spaces.
  std::string ToString() const;

 private:
  std::string indent_;
  std::vector<Align> align_;
  size_t widest_ = SIZE_MAX;
  std::vector<std::vector<std::string>> rows_;
};

// Returns the width of `text` on a terminal, counting one column per code point.
size_t DisplayWidth(std::string_view text);

}  // namespace berth
