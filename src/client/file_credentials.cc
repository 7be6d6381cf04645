#include "client/file_credentials.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <system_error>
#include <utility>

#include "client/escaping.h"

namespace berth::client {

Result<std::string> ReadFile(const std::string& path, size_t max_bytes) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"),
                                                             std::fclose);
  if (file == nullptr) {
    return Fail(fmt::format("open {}: {}", path, std::generic_category().message(errno)));
  }
  std::string text;
  std::array<char, 1 << 14> piece;
  while (const size_t size = std::fread(piece.data(), 1, piece.size(), file.get())) {
    text.append(piece.data(), size);
    if (text.size() > max_bytes) {
      return Fail(fmt::format("read {}: the file is longer than {} bytes", path, max_bytes));
    }
  }
  if (std::ferror(file.get()) != 0) {
    return Fail(fmt::format("read {}: {}", path, std::generic_category().message(errno)));
  }
  return text;
}

namespace {

constexpr size_t kMaxCredentialBytes = size_t{1} << 20;

Result<std::string> ReadToken(const std::string& path) {
  const auto content = ReadFile(path, kMaxCredentialBytes);
  if (!content) return std::unexpected(content.error());
  const std::string_view token = Trimmed(*content);
  if (token.empty()) return Fail(fmt::format("token file {}: the file is empty", path));
  if (!FitsInHeader(token)) {
    return Fail(fmt::format("token file {}: this is not a token: it has control characters", path));
  }
  return std::string(token);
}

}  // namespace

Result<Credential> FileCredentials::Read(const CredentialFiles& files) {
  Credential credential = files.fixed;
  if (!files.token.empty()) {
    auto token = ReadToken(files.token);
    if (!token) return std::unexpected(token.error());
    credential.bearer_token = *std::move(token);
  }
  if (!files.certificate.empty()) {
    auto certificate = ReadFile(files.certificate, kMaxCredentialBytes);
    if (!certificate) return std::unexpected(certificate.error());
    credential.certificate = *std::move(certificate);
  }
  if (!files.key.empty()) {
    auto key = ReadFile(files.key, kMaxCredentialBytes);
    if (!key) return std::unexpected(key.error());
    credential.key = *std::move(key);
  }
  return credential;
}

Result<std::shared_ptr<FileCredentials>> FileCredentials::Create(CredentialFiles files,
                                                                 const Clock& clock) {
  auto first = Read(files);
  if (!first) return std::unexpected(first.error());
  return std::shared_ptr<FileCredentials>(
      new FileCredentials(std::move(files), clock, *std::move(first)));
}

FileCredentials::FileCredentials(CredentialFiles files, const Clock& clock, Credential first)
    : files_(std::move(files)), clock_(clock), current_(std::move(first)), read_at_(clock.Now()) {}

void FileCredentials::Get(Callback callback) {
  Credential credential;
  {
    const std::lock_guard lock(mutex_);
    const Instant now = clock_.Now();
    const Duration age = now - read_at_;
    // A clock that was set back must not prolong the use of old tokens.
    const bool old = age >= kTokenLifetime || age < Duration();
    if (old || (refused_ && age >= kRefusedLifetime)) {
      if (auto fresh = Read(files_)) current_ = *std::move(fresh);
      read_at_ = now;
      refused_ = false;
    }
    credential = current_;
  }
  callback(std::move(credential));
}

void FileCredentials::Refused(const Credential& credential) {
  const std::lock_guard lock(mutex_);
  if (credential == current_) refused_ = true;
}

}  // namespace berth::client
