#include "apiserver/registry/access.h"

#include <fmt/format.h>

#include <cstddef>

#include "base/text.h"

namespace berth::apiserver::registry {
namespace {

// Splits a line of comma-separated values; a field with commas is quoted.
Result<std::vector<std::string>> SplitLine(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += '"';
      ++i;
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += line[i];
    }
  }
  if (quoted) return Fail("a quote is not closed");
  for (std::string& field : fields) field = Trim(field, " \t\r");
  return fields;
}

Result<Token> ParseToken(std::string_view line) {
  auto fields = SplitLine(line);
  if (!fields) return std::unexpected(fields.error());
  if (fields->size() < 2 || (*fields)[0].empty() || (*fields)[1].empty()) {
    return Fail("expected token,user[,uid[,\"group1,group2\"]]");
  }
  Token token;
  token.secret = std::move((*fields)[0]);
  token.user.name = std::move((*fields)[1]);
  if (fields->size() > 2) token.user.uid = std::move((*fields)[2]);
  for (size_t i = 3; i < fields->size(); ++i) {
    const auto groups = SplitLine((*fields)[i]);
    if (!groups) return std::unexpected(groups.error());
    for (const std::string& group : *groups) {
      if (!group.empty()) token.user.groups.push_back(group);
    }
  }
  token.user.groups.emplace_back("system:authenticated");
  return token;
}

// Compares in constant time, so that a token cannot be guessed byte by byte.
bool SameSecret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (size_t i = 0; i < a.size(); ++i) difference |= static_cast<unsigned char>(a[i] ^ b[i]);
  return difference == 0;
}

}  // namespace

Result<std::vector<Token>> ParseTokenFile(std::string_view text) {
  std::vector<Token> tokens;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    const std::string_view line = Trim(text.substr(0, end), " \t\r");
    text = end == text.npos ? std::string_view() : text.substr(end + 1);
    if (line.empty() || line.starts_with('#')) continue;
    auto token = ParseToken(line);
    if (!token) return Fail(fmt::format("line {}: {}", number, token.error().message));
    tokens.push_back(*std::move(token));
  }
  if (tokens.empty()) return Fail("it has no tokens");
  return tokens;
}

std::optional<User> Access::FindToken(std::string_view secret,
                                      const std::vector<std::string>& audiences) const {
  const User* user = nullptr;
  for (const Token& token : options_.tokens) {
    if (SameSecret(token.secret, secret)) user = &token.user;
  }
  if (user) return *user;
  if (!options_.service_accounts) return std::nullopt;
  return options_.service_accounts->Verify(secret, audiences);
}

}  // namespace berth::apiserver::registry
