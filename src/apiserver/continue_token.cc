#include "apiserver/continue_token.h"

#include <fmt/format.h>

#include <charconv>
#include <vector>

#include "kinds/base64.h"

namespace berth::apiserver {
namespace {

// FNV-1a: tells a damaged or misplaced token, not a forged one; a forged one only pages elsewhere.
uint64_t Checksum(const Kind& kind, std::string_view namespace_, std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const std::string_view part : {kind.group, kind.resource, namespace_, text}) {
    for (const char c : part) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    hash = (hash ^ 0xff) * 0x100000001b3;
  }
  return hash;
}

std::string Fields(const ContinueToken& token) {
  return fmt::format("{}\n{}\n{}", token.version, token.after.namespace_, token.after.name);
}

}  // namespace

std::string EncodeContinue(const Kind& kind, std::string_view namespace_,
                           const ContinueToken& token) {
  const std::string fields = Fields(token);
  return EncodeBase64Url(fmt::format("{}\n{:x}", fields, Checksum(kind, namespace_, fields)));
}

std::optional<ContinueToken> DecodeContinue(const Kind& kind, std::string_view namespace_,
                                            std::string_view text) {
  const auto bytes = DecodeBase64Url(text);
  if (!bytes) return std::nullopt;
  const std::string_view all = *bytes;
  const size_t version_end = all.find('\n');
  if (version_end == all.npos) return std::nullopt;
  const size_t namespace_end = all.find('\n', version_end + 1);
  if (namespace_end == all.npos) return std::nullopt;
  const size_t name_end = all.find('\n', namespace_end + 1);
  if (name_end == all.npos) return std::nullopt;

  ContinueToken token;
  std::from_chars(all.data(), all.data() + version_end, token.version);
  token.after.namespace_ = all.substr(version_end + 1, namespace_end - version_end - 1);
  token.after.name = all.substr(namespace_end + 1, name_end - namespace_end - 1);
  if (EncodeContinue(kind, namespace_, token) != text) return std::nullopt;
  return token;
}

}  // namespace berth::apiserver
