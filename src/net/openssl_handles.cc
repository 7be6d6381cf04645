#include "net/openssl_handles.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>

namespace berth::net {

Result<Pem> ReadPem(const char* name, const std::string& data, const std::string& file) {
  if (!data.empty() || file.empty()) return Pem{data, fmt::format("{}Data", name)};
  const std::string source = fmt::format("{}File \"{}\"", name, file);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(file.c_str(), "rb"),
                                                               std::fclose);
  std::string text;
  std::array<char, 4096> piece;
  while (stream != nullptr) {
    const size_t size = std::fread(piece.data(), 1, piece.size(), stream.get());
    text.append(piece.data(), size);
    if (size < piece.size()) break;
  }
  if (stream == nullptr || std::ferror(stream.get()) != 0) {
    return Fail(fmt::format("{}: {}", source, std::generic_category().message(errno)));
  }
  return Pem{std::move(text), source};
}

Status CheckPem(const boost::system::error_code& error, const Pem& pem, const char* what) {
  if (!error) return {};
  return Fail(fmt::format("{}: this is not {}: {}", pem.source, what, error.message()));
}

}  // namespace berth::net
