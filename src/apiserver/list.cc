#include "apiserver/list.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <vector>

#include "base/base64.h"

namespace berth::apiserver {
namespace {

// FNV-1a: detects damaged and misused tokens, not forged ones. A forged token only changes the
// page.
uint64_t Checksum(const api::scheme::Kind& kind, std::string_view namespace_,
                  std::string_view text) {
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

std::string EncodeContinue(const api::scheme::Kind& kind, std::string_view namespace_,
                           const ContinueToken& token) {
  const std::string fields = Fields(token);
  return EncodeBase64Url(fmt::format("{}\n{:x}", fields, Checksum(kind, namespace_, fields)));
}

std::optional<ContinueToken> DecodeContinue(const api::scheme::Kind& kind,
                                            std::string_view namespace_, std::string_view text) {
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

namespace {

constexpr std::string_view kExpired =
    "The provided continue parameter is too old to display a consistent list result. You can "
    "start a new list without the continue parameter.";

// The size of a part of a snapshot: the first limit that is reached.
constexpr size_t kPartObjects = 1000;
constexpr size_t kPartBytes = 1 << 20;

// Returns the list of the one object that can match, or nullopt if there may be several or the
// store changed during the lookup.
std::optional<store::ListResult> LookUp(const store::Store& store, const api::scheme::Kind& kind,
                                        std::string_view namespace_,
                                        const ObjectSelector& selector) {
  if (selector.name().empty() || (kind.namespaced && namespace_.empty())) return std::nullopt;
  store::ListResult result;
  result.version = store.version();
  auto object = store.Get(kind.collection, {std::string(namespace_), selector.name()});
  if (store.version() != result.version) return std::nullopt;
  if (object && selector.Matches(*object)) result.objects.push_back(std::move(object));
  return result;
}

store::ListQuery QueryFor(std::string_view namespace_, const ObjectSelector& selector) {
  store::ListQuery query;
  if (!namespace_.empty()) query.namespace_ = std::string(namespace_);
  if (!selector.everything()) {
    query.matches = [&selector](const store::Object& object) { return selector.Matches(object); };
  }
  return query;
}

// Sets the start and the version of the page.
api::scheme::ApiResult<void> ReadStart(const store::Store& store, const api::scheme::Kind& kind,
                                       std::string_view namespace_, const ListOptions& options,
                                       store::ListQuery& query) {
  const auto requested = options.resource_version;
  if (!options.continue_token.empty()) {
    if (requested.value_or(0) != 0) {
      return std::unexpected(api::scheme::BadRequest(
          "specifying resource version is not allowed when using continue"));
    }
    auto token = DecodeContinue(kind, namespace_, options.continue_token);
    if (!token || token->version > store.version()) {
      return std::unexpected(api::scheme::BadRequest("continue key is not valid"));
    }
    query.at = token->version;
    query.after = std::move(token->after);
    return {};
  }
  if (requested && *requested > store.version()) {
    return std::unexpected(TooLargeVersion(*requested, store.version()));
  }
  if (options.match == ListOptions::Match::kExact) query.at = requested;
  return {};
}

std::string Metadata(const api::scheme::Kind& kind, std::string_view namespace_,
                     const ObjectSelector& selector, const store::ListResult& page) {
  std::string text = fmt::format(R"({{"resourceVersion":"{}")", page.version);
  if (page.more && !page.objects.empty()) {
    const ContinueToken next{page.version, page.objects.back()->key};
    text += fmt::format(R"(,"continue":"{}")", EncodeContinue(kind, namespace_, next));
    // With a selector the number of remaining matches is unknown.
    if (selector.everything()) text += fmt::format(R"(,"remainingItemCount":{})", page.remaining);
  }
  return text + "}";
}

}  // namespace

api::scheme::ApiError TooLargeVersion(store::Version requested, store::Version current) {
  api::scheme::ApiError error = api::scheme::MakeError(
      504, fmt::format("Too large resource version: {}, current: {}", requested, current));
  error.causes.push_back({"ResourceVersionTooLarge", "Too large resource version", ""});
  error.retry_after_seconds = 1;
  return error;
}

store::ListResult Snapshot(const store::Store& store, const api::scheme::Kind& kind,
                           std::string_view namespace_, const ObjectSelector& selector) {
  if (auto found = LookUp(store, kind, namespace_, selector)) return *std::move(found);
  return store.List(kind.collection, QueryFor(namespace_, selector));
}

store::ListResult SnapshotPart(const store::Store& store, const api::scheme::Kind& kind,
                               std::string_view namespace_, const ObjectSelector& selector,
                               const std::optional<ContinueToken>& start) {
  store::ListQuery query = QueryFor(namespace_, selector);
  query.limit = kPartObjects;
  if (start) {
    query.at = start->version;
    query.after = start->after;
  } else if (auto found = LookUp(store, kind, namespace_, selector)) {
    return *std::move(found);
  }
  store::ListResult part = store.List(kind.collection, query);
  size_t count = 0;
  for (size_t bytes = 0; count < part.objects.size() && bytes < kPartBytes; ++count) {
    bytes += store::MemoryOf(*part.objects[count]);
  }
  if (count < part.objects.size()) {
    part.objects.resize(count);
    part.more = true;
  }
  return part;
}

api::scheme::ApiResult<ListResponse> ListObjects(const store::Store& store,
                                                 std::string_view namespace_,
                                                 const ListOptions& options,
                                                 const ObjectSelector& selector,
                                                 const ObjectForm& form) {
  const api::scheme::Kind& kind = form.kind();
  store::ListQuery query = QueryFor(namespace_, selector);
  if (const auto start = ReadStart(store, kind, namespace_, options, query); !start) {
    return std::unexpected(start.error());
  }
  // "0" requests any available state, which is sent without paging.
  const bool any_state = options.resource_version == 0 && options.continue_token.empty();
  if (!any_state) query.limit = static_cast<size_t>(options.limit);

  const bool plain = !query.at && query.limit == 0;
  const store::ListResult page =
      plain ? Snapshot(store, kind, namespace_, selector) : store.List(kind.collection, query);
  if (page.expired) {
    if (query.after) return std::unexpected(api::scheme::Expired(std::string(kExpired)));
    return std::unexpected(api::scheme::Expired(
        fmt::format("The resourceVersion for the provided list is too old: {}", *query.at)));
  }
  ListResponse response;
  response.version = page.version;
  form.AppendList(page.objects, Metadata(kind, namespace_, selector, page), response.body);
  return response;
}

}  // namespace berth::apiserver
