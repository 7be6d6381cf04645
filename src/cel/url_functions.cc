// Functions of URLs.
#include <map>
#include <string>
#include <vector>

#include "cel/containers.h"
#include "cel/evaluation.h"
#include "cel/libraries.h"
#include "cel/url.h"

namespace berth::cel {
namespace {

Value ToUrl(const Call& call) {
  auto url = Url::Parse(call[0].text());
  if (!url) {
    return call.evaluation.FailWith("URL parse error during conversion from string: {}",
                                    url.error().message);
  }
  return Value::Of(call.evaluation.arena().New<Url>(std::move(*url)));
}

Value IsUrl(const Call& call) { return Value::Bool(Url::Parse(call[0].text()).has_value()); }

Value UrlScheme(const Call& call) { return Value::String(call[0].url().scheme); }
Value UrlHost(const Call& call) { return Value::String(call[0].url().host); }
Value UrlHostname(const Call& call) { return Value::String(call[0].url().hostname()); }
Value UrlPort(const Call& call) { return Value::String(call[0].url().port()); }
Value UrlEscapedPath(const Call& call) { return Value::String(call[0].url().escaped_path); }

Value UrlQuery(const Call& call) {
  std::map<std::string, std::vector<Value>> values;
  for (const auto& [key, value] : call[0].url().QueryParameters()) {
    values[key].push_back(call.evaluation.NewString(value));
  }
  Arena& arena = call.evaluation.arena();
  MapBuilder query(arena, static_cast<uint32_t>(values.size()));
  for (const auto& [key, list] : values) {
    query.Set(call.evaluation.NewString(key), MakeList(arena, list));
  }
  return query.Build();
}

}  // namespace

void AddUrlFunctions(Environment& environment) {
  const Type* const s = &kStringType;
  const Type* const url = &kUrlType;
  TypePool& types = environment.types();
  environment.Define("url").Costs(CostRule::kScan).Global("string_to_url", {s}, url, ToUrl);
  environment.Define("isURL").Global("is_url_string", {s}, &kBoolType, IsUrl);
  environment.Define("getScheme").Member("url_get_scheme", {url}, s, UrlScheme);
  environment.Define("getHost").Member("url_get_host", {url}, s, UrlHost);
  environment.Define("getHostname").Member("url_get_hostname", {url}, s, UrlHostname);
  environment.Define("getPort").Member("url_get_port", {url}, s, UrlPort);
  environment.Define("getEscapedPath").Member("url_get_escaped_path", {url}, s, UrlEscapedPath);
  environment.Define("getQuery")
      .Member("url_get_query", {url}, types.Map(s, types.List(s)), UrlQuery);
}

}  // namespace berth::cel
