// TextTable prints rows as columns, each as wide as its widest cell; the last one is not padded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace berth::cmd {

class TextTable {
 public:
  enum class Align { kLeft, kRight };

  // `indent` goes before every line. Columns are aligned to the left unless told otherwise.
  explicit TextTable(std::string indent = "", std::vector<Align> align = {})
      : indent_(std::move(indent)), align_(std::move(align)) {}

  // Cells wider than `width` stick out instead of widening their column.
  void set_widest(size_t width) { widest_ = width; }

  void Add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  // Every line ends with a newline and has no spaces before it.
  std::string ToString() const;

 private:
  std::string indent_;
  std::vector<Align> align_;
  size_t widest_ = SIZE_MAX;
  std::vector<std::vector<std::string>> rows_;
};

// How many columns `text` takes on a terminal, if each code point takes one.
size_t DisplayWidth(std::string_view text);

}  // namespace berth::cmd
