#include "daemon/authenticator.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "api/json/writer.h"

namespace berth::daemon {
namespace {

constexpr const char* kConfigMapPath =
    "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
constexpr const char* kConfigMap = "configmap kube-system/extension-apiserver-authentication";

// Reads a JSON list of strings; an absent key is an empty list.
Status ReadNames(const api::JsonObject* data, const char* key, std::vector<std::string>& names) {
  const std::string_view text = api::StringAt(data, key);
  names.clear();
  if (text.empty()) return {};
  const auto list = api::ParseJson(text);
  if (!list || !list->is_array()) {
    return Fail(fmt::format("{}: {} is not a list", kConfigMap, key));
  }
  for (const api::Json& item : list->get_array()) names.emplace_back(api::AsString(item));
  return {};
}

}  // namespace

ClientTrust::ClientTrust(AuthenticationFlags flags, FileReader read, client::RestClient* client)
    : flags_(std::move(flags)), read_(std::move(read)), client_(client) {
  Trust trust;
  const RequestHeaderFlags& headers = flags_.request_header;
  trust.proxy_names = headers.allowed_names;
  trust.username_headers = headers.username_headers;
  trust.uid_headers = headers.uid_headers;
  trust.group_headers = headers.group_headers;
  trust.extra_header_prefixes = headers.extra_header_prefixes;
  current_ = std::make_shared<const Trust>(std::move(trust));
}

std::shared_ptr<const Trust> ClientTrust::current() const {
  const std::lock_guard lock(mutex_);
  return current_;
}

void ClientTrust::Publish(Trust trust) {
  const std::lock_guard lock(mutex_);
  current_ = std::make_shared<const Trust>(std::move(trust));
}

bool ClientTrust::NeedsConfigMap() const {
  if (client_ == nullptr || flags_.skip_lookup) return false;
  return flags_.client_ca_file.empty() || flags_.request_header.client_ca_file.empty();
}

Status ClientTrust::ReadFiles(Trust& trust) const {
  const auto read = [&](const std::string& file, auto& authorities) -> Status {
    if (file.empty()) return {};
    const auto text = read_(file);
    if (!text) return std::unexpected(text.error());
    auto parsed = net::ClientAuthorities::Parse(*text, file);
    if (!parsed) return std::unexpected(parsed.error());
    authorities = *std::move(parsed);
    return {};
  };
  if (auto status = read(flags_.client_ca_file, trust.clients); !status) {
    return Fail("unable to load client CA provider: " + status.error().message);
  }
  if (auto status = read(flags_.request_header.client_ca_file, trust.proxies); !status) {
    return Fail("unable to create request header authentication config: " + status.error().message);
  }
  return {};
}

Status ClientTrust::ReadConfigMap(const std::string& body, Trust& trust) const {
  const auto object = api::ParseJson(body);
  if (!object) return Fail(fmt::format("{}: {}", kConfigMap, object.error().message));
  const api::JsonObject* data = api::ObjectAt(api::AsObject(*object), "data");
  const auto read = [&](const char* key, auto& authorities) -> Status {
    const std::string pem(api::StringAt(data, key));
    if (pem.empty()) return {};
    auto parsed = net::ClientAuthorities::Parse(pem, fmt::format("{}: {}", kConfigMap, key));
    if (!parsed) return std::unexpected(parsed.error());
    authorities = *std::move(parsed);
    return {};
  };
  if (flags_.client_ca_file.empty()) {
    if (auto status = read("client-ca-file", trust.clients); !status) return status;
  }
  if (!flags_.request_header.client_ca_file.empty()) return {};
  if (auto status = read("requestheader-client-ca-file", trust.proxies); !status) return status;
  // The ConfigMap that names the authorities of front proxies also names their headers.
  if (trust.proxies == nullptr) return {};
  const std::pair<const char*, std::vector<std::string>*> lists[] = {
      {"requestheader-allowed-names", &trust.proxy_names},
      {"requestheader-username-headers", &trust.username_headers},
      {"requestheader-uid-headers", &trust.uid_headers},
      {"requestheader-group-headers", &trust.group_headers},
      {"requestheader-extra-headers-prefix", &trust.extra_header_prefixes},
  };
  for (const auto& [key, names] : lists) {
    if (auto status = ReadNames(data, key, *names); !status) return status;
  }
  return {};
}

Status ClientTrust::CheckFiles() const {
  Trust scratch;
  return ReadFiles(scratch);
}

void ClientTrust::Refresh(const std::function<void(Status)>& done) {
  Trust trust = *current();
  const Status files = ReadFiles(trust);
  Publish(trust);
  if (!files || !NeedsConfigMap()) return done(files);
  client::RestRequest request;
  request.path = kConfigMapPath;
  request.timeout = Duration::Seconds(10);
  client_->Send(std::move(request), [this, done](net::HttpResult<net::HttpResponse> response) {
    if (!response) return done(Fail(fmt::format("{}: {}", kConfigMap, response.error().message)));
    if (!response->ok()) {
      return done(
          Fail(fmt::format("{}: the API server answered {}", kConfigMap, response->status)));
    }
    Trust updated = *current();
    const Status status = ReadConfigMap(response->body, updated);
    if (status) Publish(std::move(updated));
    done(status);
  });
}

namespace {

using api::JsonObject;

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) { return Lower(c); });
  return lower;
}

// Decodes percent-encoding: %41 becomes A. Text with an invalid escape is returned unchanged.
std::string Unescape(const std::string& text) {
  const auto hex = [](char c) {
    const char lower = Lower(c);
    return c >= '0' && c <= '9' ? c - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
  };
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size() || hex(text[i + 1]) < 0 || hex(text[i + 2]) < 0) return text;
    out += static_cast<char>(hex(text[i + 1]) * 16 + hex(text[i + 2]));
    i += 2;
  }
  return out;
}

void AddAuthenticated(User& user) {
  if (std::ranges::find(user.groups, kAuthenticatedGroup) == user.groups.end()) {
    user.groups.emplace_back(kAuthenticatedGroup);
  }
}

std::string FirstHeader(const net::ServerRequest& request, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (const auto value = request.header(name); !value.empty()) return std::string(value);
  }
  return {};
}

// Returns the user that a front proxy's headers name, if any.
std::optional<User> UserOfHeaders(const net::ServerRequest& request, const Trust& trust) {
  User user{FirstHeader(request, trust.username_headers)};
  if (user.name.empty()) return std::nullopt;
  user.uid = FirstHeader(request, trust.uid_headers);
  for (const std::string& name : trust.group_headers) {
    for (const net::HttpHeader& header : request.headers) {
      if (net::EqualIgnoringCase(header.name, name) && !header.value.empty()) {
        user.groups.push_back(header.value);
      }
    }
  }
  for (const std::string& prefix : trust.extra_header_prefixes) {
    for (const net::HttpHeader& header : request.headers) {
      const std::string name = Lower(header.name);
      if (!name.starts_with(Lower(prefix))) continue;
      user.extra[Unescape(name.substr(prefix.size()))].push_back(header.value);
    }
  }
  return user;
}

std::string TokenOf(const net::ServerRequest& request) {
  constexpr std::string_view kBearer = "bearer";
  std::string_view value = request.header("Authorization");
  while (value.starts_with(' ')) value.remove_prefix(1);
  const size_t space = value.find(' ');
  if (space == value.npos || Lower(value.substr(0, space)) != kBearer) return {};
  value.remove_prefix(space + 1);
  return std::string(value.substr(0, value.find(' ')));
}

std::string TokenReviewBody(const std::string& token) {
  return api::ToJsonText(JsonObject{{"kind", "TokenReview"},
                                    {"apiVersion", "authentication.k8s.io/v1"},
                                    {"metadata", JsonObject()},
                                    {"spec", JsonObject{{"token", token}}},
                                    {"status", JsonObject()}});
}

std::vector<std::string> TextsAt(const JsonObject* object, std::string_view name) {
  std::vector<std::string> texts;
  const api::JsonArray* list = api::ArrayAt(object, name);
  if (list == nullptr) return texts;
  for (const api::Json& item : *list) texts.emplace_back(api::AsString(item));
  return texts;
}

Result<std::optional<User>> ReadTokenReview(const std::string& body) {
  const auto review = api::ParseJson(body);
  if (!review) return Fail("the review of the token cannot be read: " + review.error().message);
  const JsonObject* status = api::ObjectAt(api::AsObject(*review), "status");
  if (!api::BoolAt(status, "authenticated")) return std::nullopt;
  const JsonObject* found = api::ObjectAt(status, "user");
  if (found == nullptr) return std::nullopt;
  User user{std::string(api::StringAt(found, "username")), std::string(api::StringAt(found, "uid")),
            TextsAt(found, "groups")};
  if (const JsonObject* extra = api::ObjectAt(found, "extra")) {
    for (const auto& [key, value] : *extra) user.extra[key] = TextsAt(extra, key);
  }
  return user;
}

}  // namespace

Authenticator::Authenticator(const ClientTrust& trust, client::RestClient* client,
                             net::Executor& executor, Duration token_ttl)
    : trust_(trust), token_ttl_(token_ttl), tokens_(executor) {
  if (client != nullptr) reviews_.emplace(*client, executor);
}

void Authenticator::Cancel(const net::ServerRequest& request) {
  if (reviews_) reviews_->Cancel(request);
}

void Authenticator::Authenticate(const net::ServerRequest& request, Tokens tokens,
                                 const Callback& callback) {
  const auto trust = trust_.current();
  const auto& certificates = request.peer.certificates;
  std::string problem;
  if (certificates != nullptr && trust->proxies != nullptr) {
    const auto proxy = trust->proxies->Verify(*certificates);
    const auto& names = trust->proxy_names;
    if (!proxy) {
      problem = proxy.error().message;
    } else if (!names.empty() && std::ranges::find(names, proxy->common_name) == names.end()) {
      problem =
          fmt::format("x509: subject with cn={} is not in the allowed list", proxy->common_name);
    } else if (auto user = UserOfHeaders(request, *trust)) {
      AddAuthenticated(*user);
      return callback(*std::move(user));
    }
  }
  if (certificates != nullptr && trust->clients != nullptr) {
    const auto subject = trust->clients->Verify(*certificates);
    if (!subject) {
      problem = subject.error().message;
    } else if (!subject->common_name.empty()) {
      User user{subject->common_name, "", subject->organizations};
      AddAuthenticated(user);
      return callback(std::move(user));
    }
  }
  if (const std::string token = TokenOf(request);
      reviews_ && tokens == Tokens::kReviewed && !token.empty()) {
    return ReviewToken(request, token, callback);
  }
  if (!problem.empty()) return callback(std::unexpected(ReviewError{std::move(problem)}));
  callback(User{std::string(kAnonymous), "", {std::string(kUnauthenticatedGroup)}});
}

void Authenticator::ReviewToken(const net::ServerRequest& request, const std::string& token,
                                const Callback& callback) {
  const auto respond = [callback](std::optional<User> user) {
    if (!user) return callback(std::unexpected(ReviewError{"invalid bearer token"}));
    AddAuthenticated(*user);
    callback(*std::move(user));
  };
  ReviewQueue::Review review{.key = ReviewKey(token), .request = {}};
  if (auto known = tokens_.Find(review.key)) return respond(*std::move(known));
  review.urgent = tokens_.HadGood(review.key);
  review.request.method = "POST";
  review.request.path = "/apis/authentication.k8s.io/v1/tokenreviews";
  review.request.body = TokenReviewBody(token);
  review.request.content_type = "application/json";
  review.request.timeout = Duration::Seconds(10);
  const std::string key = review.key;
  reviews_->Send(request, std::move(review),
                 [this, key, respond, callback](std::expected<std::string, ReviewError> body) {
                   if (!body) return callback(std::unexpected(std::move(body).error()));
                   auto user = ReadTokenReview(*body);
                   if (!user) {
                     return callback(std::unexpected(ReviewError{std::move(user).error().message}));
                   }
                   tokens_.Store(key, *user, user->has_value(), token_ttl_);
                   respond(*std::move(user));
                 });
}

}  // namespace berth::daemon
