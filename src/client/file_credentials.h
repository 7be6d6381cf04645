// Reads small files: kubeconfigs, tokens, certificates.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "client/client_config.h"

namespace berth::client {

inline constexpr size_t kMaxFileBytes = size_t{16} << 20;

// All of it. The error is the whole sentence: open PATH: No such file or directory.
Result<std::string> ReadFile(const std::string& path, size_t max_bytes = kMaxFileBytes);

// FileCredentials gives what is in files: a token, a certificate and its key. Whoever issues them
// replaces the files before they expire, so they are read again from time to time.
//
// Any thread; the files are small and local, and are read by the thread that asks.
struct CredentialFiles {
  std::string token;        // Empty: `fixed` has it, if there is any.
  std::string certificate;  // Both or none of these two.
  std::string key;
  Credential fixed;  // What does not come from files.
};

class FileCredentials final : public Credentials {
 public:
  // Tokens are replaced well before they end; client-go keeps them for as long.
  static constexpr Duration kKeep = Duration::Seconds(50);
  // Between two readings because of refusals.
  static constexpr Duration kKeepRefused = Duration::Seconds(1);

  // Reads the files; the error names the one that is wrong. `clock` must outlive the credentials.
  static Result<std::shared_ptr<FileCredentials>> Create(CredentialFiles files, const Clock& clock);

  // What was read last, if the files cannot be read now.
  void Get(Callback callback) override;
  void Refused(const Credential& credential) override;

 private:
  FileCredentials(CredentialFiles files, const Clock& clock, Credential first);

  static Result<Credential> Read(const CredentialFiles& files);

  const CredentialFiles files_;
  const Clock& clock_;
  std::mutex mutex_;
  Credential current_;
  Instant read_at_;
  bool refused_ = false;
};

// StaticCredentials always gives the same.
class StaticCredentials final : public Credentials {
 public:
  explicit StaticCredentials(Credential credential) : credential_(std::move(credential)) {}
  void Get(Callback callback) override { callback(credential_); }
  void Refused(const Credential&) override {}

 private:
  const Credential credential_;
};

}  // namespace berth::client
