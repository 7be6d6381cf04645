#include "cmd/case_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

namespace berth {

Result<CaseFile> CaseFile::Read(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return Fail(fmt::format("{}: is a directory; name the case files in it", path));
  }
  errno = 0;
  // gzread passes files through that are not gzipped.
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose_r);
  if (file == nullptr) {
    return Fail(fmt::format("{}: {}", path, std::strerror(errno != 0 ? errno : ENOMEM)));
  }
  CaseFile result;
  constexpr size_t kChunk = 1 << 20;
  for (;;) {
    const size_t size = result.text_.size();
    result.text_.resize(size + kChunk);
    const int count = gzread(file.get(), result.text_.data() + size, kChunk);
    result.text_.resize(size + (count > 0 ? static_cast<size_t>(count) : 0));
    if (count > 0) continue;
    int code = Z_OK;
    const char* why = gzerror(file.get(), &code);
    if (code == Z_OK || code == Z_STREAM_END) return result;
    return Fail(fmt::format("{}: {}", path, code == Z_ERRNO ? std::strerror(errno) : why));
  }
}

std::vector<CaseFile::Row> CaseFile::rows() const {
  std::vector<Row> rows;
  std::string_view rest = text_;
  for (size_t line = 1; !rest.empty(); ++line) {
    const size_t end = rest.find('\n');
    std::string_view text = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    if (text.find_first_not_of(" \t\r") != std::string_view::npos) rows.push_back({line, text});
  }
  return rows;
}

}  // namespace berth
