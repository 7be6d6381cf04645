// FileCredentials provides credentials that other programs write to files, and StaticCredentials
// constant ones. ReadFile reads small files: kubeconfigs, tokens, certificates.
#pragma once

#include <cstddef>
#include <mutex>
#include <string>

#include "base/result.h"
#include "base/time.h"
#include "client/client_config.h"

namespace berth::client {

inline constexpr size_t kMaxFileBytes = size_t{16} << 20;

// Returns the contents of a file. The error is a complete sentence: open PATH: No such file or
// directory.
Result<std::string> ReadFile(const std::string& path, size_t max_bytes = kMaxFileBytes);

// The files of FileCredentials: a token, and a certificate with its key.
struct CredentialFiles {
  std::string token;        // Empty: `fixed` has the token, if any.
  std::string certificate;  // Both or neither.
  std::string key;
  Credential fixed;  // What does not come from files.
};

// FileCredentials provides credentials from files. The issuer replaces the files before the
// credentials expire, so they are read again periodically.
//
// Any thread; the files are small and local, and the calling thread reads them.
class FileCredentials final : public Credentials {
 public:
  // How long a credential is used. Tokens are replaced well before they expire; client-go's period.
  static constexpr Duration kTokenLifetime = Duration::Seconds(50);
  // The minimum between two reads because of rejected credentials.
  static constexpr Duration kRefusedLifetime = Duration::Seconds(1);

  // Reads the files; the error names the invalid one. `clock` must outlive the credentials.
  static Result<std::shared_ptr<FileCredentials>> Create(CredentialFiles files, const Clock& clock);

  // Returns the last read credential if the files cannot be read now.
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

// StaticCredentials always returns the same credential.
class StaticCredentials final : public Credentials {
 public:
  explicit StaticCredentials(Credential credential) : credential_(std::move(credential)) {}
  void Get(Callback callback) override { callback(credential_); }
  void Refused(const Credential&) override {}

 private:
  const Credential credential_;
};

}  // namespace berth::client
