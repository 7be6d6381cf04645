#include "apiserver/list.h"

#include <fmt/format.h>

#include <optional>

#include "apiserver/continue_token.h"

namespace berth::apiserver {
namespace {

constexpr std::string_view kExpired =
    "The provided continue parameter is too old to display a consistent list result. You can "
    "start a new list without the continue parameter.";

// The one object that can match, if the store stood still while it was looked up.
std::optional<store::ListResult> LookUp(const store::Store& store, const Kind& kind,
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

// Sets where and at which version the page begins.
ApiResult<void> ReadStart(const store::Store& store, const Kind& kind, std::string_view namespace_,
                          const ListOptions& options, store::ListQuery& query) {
  const auto wanted = options.resource_version;
  if (!options.continue_token.empty()) {
    if (wanted.value_or(0) != 0) {
      return std::unexpected(
          BadRequest("specifying resource version is not allowed when using continue"));
    }
    auto token = DecodeContinue(kind, namespace_, options.continue_token);
    if (!token || token->version > store.version()) {
      return std::unexpected(BadRequest("continue key is not valid"));
    }
    query.at = token->version;
    query.after = std::move(token->after);
    return {};
  }
  if (wanted && *wanted > store.version()) {
    return std::unexpected(TooLargeVersion(*wanted, store.version()));
  }
  if (options.match == ListOptions::Match::kExact) query.at = wanted;
  return {};
}

std::string Metadata(const Kind& kind, std::string_view namespace_, const ObjectSelector& selector,
                     const store::ListResult& page) {
  std::string text = fmt::format(R"({{"resourceVersion":"{}")", page.version);
  if (page.more && !page.objects.empty()) {
    const ContinueToken next{page.version, page.objects.back()->key};
    text += fmt::format(R"(,"continue":"{}")", EncodeContinue(kind, namespace_, next));
    // With a selector nobody knows how many of the rest match.
    if (selector.everything()) text += fmt::format(R"(,"remainingItemCount":{})", page.remaining);
  }
  return text + "}";
}

}  // namespace

ApiError TooLargeVersion(store::Version wanted, store::Version current) {
  ApiError error;
  error.code = 504;
  error.reason = "Timeout";
  error.message = fmt::format("Too large resource version: {}, current: {}", wanted, current);
  error.causes.push_back({"ResourceVersionTooLarge", "Too large resource version", ""});
  error.retry_after_seconds = 1;
  return error;
}

store::ListResult Snapshot(const store::Store& store, const Kind& kind, std::string_view namespace_,
                           const ObjectSelector& selector) {
  if (auto found = LookUp(store, kind, namespace_, selector)) return *std::move(found);
  return store.List(kind.collection, QueryFor(namespace_, selector));
}

ApiResult<ListAnswer> AnswerList(const store::Store& store, std::string_view namespace_,
                                 const ListOptions& options, const ObjectSelector& selector,
                                 const ObjectForm& form) {
  const Kind& kind = form.kind();
  store::ListQuery query = QueryFor(namespace_, selector);
  if (const auto start = ReadStart(store, kind, namespace_, options, query); !start) {
    return std::unexpected(start.error());
  }
  // "0" asks for any state that is at hand: it comes whole.
  const bool any_state = options.resource_version == 0 && options.continue_token.empty();
  if (!any_state) query.limit = static_cast<size_t>(options.limit);

  const bool plain = !query.at && query.limit == 0;
  const store::ListResult page =
      plain ? Snapshot(store, kind, namespace_, selector) : store.List(kind.collection, query);
  if (page.expired) {
    if (query.after) return std::unexpected(Expired(std::string(kExpired)));
    return std::unexpected(Expired(
        fmt::format("The resourceVersion for the provided list is too old: {}", *query.at)));
  }
  ListAnswer answer;
  answer.version = page.version;
  form.AppendList(page.objects, Metadata(kind, namespace_, selector, page), answer.body);
  return answer;
}

}  // namespace berth::apiserver
