// Reads case files: one JSON object per line, plain or gzipped.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace berth {

class CaseFile {
 public:
  struct Row {
    size_t line;  // Counted from 1.
    std::string_view text;
  };

  // Reads the whole file into memory; a file that is not gzipped is taken as it is. The error names
  // the file.
  static Result<CaseFile> Read(const std::string& path);

  // The lines that are not blank. They live as long as the file.
  std::vector<Row> rows() const;

 private:
  std::string text_;
};

}  // namespace berth
