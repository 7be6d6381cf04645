#include "apiserver/request_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "api/json/json_text.h"
#include "api/selector.h"
#include "apiserver/openapi/discovery.h"
#include "base/text.h"

namespace berth::apiserver {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool IsFalse(std::string_view text) {
  if (text == "0") return true;
  constexpr std::string_view kFalse = "false";
  return text.size() == kFalse.size() &&
         std::ranges::equal(text, kFalse, [](char a, char b) { return (a | 0x20) == b; });
}

}  // namespace

std::optional<std::string> PercentDecode(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && plus_is_space) {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
      const int low = high >= 0 ? HexDigit(text[i + 2]) : -1;
      if (low < 0) return std::nullopt;
      out += static_cast<char>(high * 16 + low);
      i += 2;
    }
  }
  if (!api::IsUtf8(out)) return std::nullopt;
  return out;
}

api::scheme::ApiResult<Query> Query::Parse(std::string_view text) {
  Query query;
  while (!text.empty()) {
    const size_t end = text.find('&');
    const std::string_view pair = text.substr(0, end);
    text = end == text.npos ? std::string_view() : text.substr(end + 1);
    if (pair.empty()) continue;
    const size_t equals = pair.find('=');
    auto name = PercentDecode(pair.substr(0, equals), true);
    auto value = PercentDecode(equals == pair.npos ? "" : pair.substr(equals + 1), true);
    if (!name || !value) {
      return std::unexpected(api::scheme::BadRequest(
          fmt::format("the query has a malformed percent escape: {}", Shorten(pair))));
    }
    query.Add(*std::move(name), *std::move(value));
  }
  return query;
}

std::optional<std::string_view> Query::Find(std::string_view name) const {
  for (const auto& [key, value] : pairs_) {
    if (key == name) return value;
  }
  return std::nullopt;
}

std::vector<std::string_view> Query::All(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& [key, value] : pairs_) {
    if (key == name) values.push_back(value);
  }
  return values;
}

bool Query::Bool(std::string_view name) const {
  const auto value = Find(name);
  return value && !IsFalse(*value);
}

api::scheme::ApiResult<std::optional<int64_t>> Query::Int(std::string_view name) const {
  const auto value = Find(name);
  if (!value || value->empty()) return std::nullopt;
  const auto number = api::ParseInt(*value);
  if (number) return number;
  return std::unexpected(
      api::scheme::BadRequest(fmt::format("{}: not a whole number: {}", name, Shorten(*value))));
}

void Query::Add(std::string name, std::string value) {
  pairs_.emplace_back(std::move(name), std::move(value));
}

namespace {

using Segments = std::span<const std::string>;

api::scheme::ApiResult<std::vector<std::string>> SplitPath(std::string_view path) {
  if (!path.starts_with('/')) {
    return std::unexpected(api::scheme::BadRequest(
        fmt::format("the path does not begin with a slash: {}", Shorten(path))));
  }
  std::vector<std::string> segments;
  for (size_t begin = 1; begin <= path.size();) {
    const size_t end = std::min(path.find('/', begin), path.size());
    auto segment = PercentDecode(path.substr(begin, end - begin), false);
    if (!segment) {
      return std::unexpected(api::scheme::BadRequest(
          fmt::format("the path has a malformed percent escape: {}", Shorten(path))));
    }
    if (*segment == "." || *segment == ".." || segment->find('/') != segment->npos ||
        std::ranges::any_of(*segment, [](char c) { return c >= 0 && c < ' '; })) {
      return std::unexpected(api::scheme::BadRequest(
          fmt::format("the path has an invalid segment: \"{}\"", Shorten(*segment))));
    }
    segments.push_back(*std::move(segment));
    begin = end + 1;
  }
  while (!segments.empty() && segments.back().empty()) segments.pop_back();
  return segments;
}

std::string JoinPath(Segments segments) {
  std::string path;
  for (const std::string& segment : segments) path += '/' + segment;
  return path.empty() ? "/" : path;
}

// The path after the group and version: [watch] [namespaces NS] RESOURCE [NAME [SUBRESOURCE]].
struct ResourcePath {
  bool watch = false;
  bool in_namespace = false;
  std::string namespace_;
  Segments rest;  // From the resource on.
};

ResourcePath ParseResourcePath(Segments rest) {
  ResourcePath path;
  if (!rest.empty() && rest[0] == "watch") {
    path.watch = true;
    rest = rest.subspan(1);
  }
  // "namespaces/x", "namespaces/x/status" and "namespaces/x/finalize" refer to the namespace
  // itself.
  if (rest.size() > 2 && rest[0] == "namespaces" && rest[2] != "status" && rest[2] != "finalize") {
    path.in_namespace = true;
    path.namespace_ = rest[1];
    rest = rest.subspan(2);
  }
  path.rest = rest;
  return path;
}

api::scheme::ApiResult<Verb> VerbOf(std::string_view method, bool collection, bool watch) {
  if (method == "GET" || method == "HEAD") {
    if (watch && method == "GET") return Verb::kWatch;
    return collection ? Verb::kList : Verb::kGet;
  }
  if (method == "POST") return Verb::kCreate;
  if (method == "PUT") return Verb::kUpdate;
  if (method == "PATCH") return Verb::kPatch;
  if (method == "DELETE") return collection ? Verb::kDeleteCollection : Verb::kDelete;
  return std::unexpected(api::scheme::MethodNotAllowed(method));
}

// Reports whether the resource or subresource of `info` supports its verb.
bool SupportsVerb(const RequestInfo& info) {
  const auto& verbs = info.subresource.empty()
                          ? info.kind->verbs
                          : info.kind->FindSubresource(info.subresource)->verbs;
  if (std::ranges::find(verbs, VerbName(info.verb)) == verbs.end()) return false;
  const bool collection = info.name.empty();
  switch (info.verb) {
    case Verb::kList:
    case Verb::kWatch:
      return true;
    case Verb::kCreate:
      // Objects are created in their collection, subresources under the object's name.
      if (info.subresource.empty() && !collection) return false;
      break;
    case Verb::kDeleteCollection:
      break;
    default:
      if (collection) return false;
  }
  // Writes require a namespace.
  return !info.kind->namespaced || !info.namespace_.empty();
}

// Completes `info` with the resource; `rest` are the segments after the group and version.
api::scheme::ApiResult<RequestInfo> ReadObjectRequest(std::string_view method, RequestInfo info,
                                                      const api::scheme::KindSet& kinds,
                                                      std::string_view group,
                                                      std::string_view version, Segments rest) {
  const ResourcePath path = ParseResourcePath(rest);
  // A proxy has a path of its own.
  const bool proxy = path.rest.size() > 3 && path.rest[2] == "proxy";
  if (path.rest.empty() || (path.rest.size() > 3 && !proxy))
    return std::unexpected(api::scheme::UnknownResource());
  if (std::ranges::any_of(path.rest, &std::string::empty))
    return std::unexpected(api::scheme::UnknownResource());
  if (path.in_namespace && path.namespace_.empty())
    return std::unexpected(api::scheme::UnknownResource());

  if (group == openapi::kMetricsGroup) {
    return std::unexpected(api::scheme::MakeError(
        501, "there are no metrics: Berth runs no containers, its pods are fake"));
  }
  info.kind = kinds.Find(group, version, path.rest[0]);
  if (info.kind == nullptr) return std::unexpected(api::scheme::UnknownResource());
  info.namespace_ = path.namespace_;
  if (path.rest.size() > 1) info.name = path.rest[1];
  if (path.rest.size() > 2) info.subresource = path.rest[2];
  const bool named_without_namespace =
      info.kind->namespaced && !path.in_namespace && !info.name.empty();
  if ((path.in_namespace && !info.kind->namespaced) || named_without_namespace) {
    return std::unexpected(api::scheme::UnknownResource());
  }
  if (!info.subresource.empty() && info.kind->FindSubresource(info.subresource) == nullptr) {
    return std::unexpected(api::scheme::UnknownResource());
  }

  // A watch of one object is a watch of its collection with a selector of its name.
  const bool watch = path.watch || (info.name.empty() && info.query.Bool("watch"));
  const auto verb = VerbOf(method, info.name.empty(), watch);
  if (!verb) return std::unexpected(verb.error());
  info.verb = *verb;
  if (!SupportsVerb(info)) return std::unexpected(api::scheme::MethodNotAllowed(method));
  return info;
}

}  // namespace

std::string_view VerbName(Verb verb) {
  switch (verb) {
    case Verb::kGet:
      return "get";
    case Verb::kList:
      return "list";
    case Verb::kWatch:
      return "watch";
    case Verb::kCreate:
      return "create";
    case Verb::kUpdate:
      return "update";
    case Verb::kPatch:
      return "patch";
    case Verb::kDelete:
      return "delete";
    case Verb::kDeleteCollection:
      return "deletecollection";
  }
  return "";
}

api::scheme::ApiResult<RequestInfo> ReadRequest(std::string_view method, std::string_view target,
                                                const api::scheme::KindSet& kinds) {
  if (!api::IsUtf8(method))
    return std::unexpected(api::scheme::BadRequest("the request's method is not UTF-8"));
  if (!api::IsUtf8(target))
    return std::unexpected(api::scheme::BadRequest("the request's target is not UTF-8"));
  const size_t question = target.find('?');
  const auto segments = SplitPath(target.substr(0, question));
  if (!segments) return std::unexpected(segments.error());
  auto query = Query::Parse(question == target.npos ? "" : target.substr(question + 1));
  if (!query) return std::unexpected(query.error());

  RequestInfo info;
  info.path = JoinPath(*segments);
  info.query = *std::move(query);
  const Segments all = *segments;
  if (all.size() > 2 && all[0] == "api") {
    return ReadObjectRequest(method, std::move(info), kinds, "", all[1], all.subspan(2));
  }
  if (all.size() > 3 && all[0] == "apis") {
    return ReadObjectRequest(method, std::move(info), kinds, all[1], all[2], all.subspan(3));
  }
  return info;
}

}  // namespace berth::apiserver
