#include "daemon/zpages.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <set>

#include "config/json_value.h"
#include "daemon/answers.h"

namespace berth::daemon {
namespace {

using config::JsonValue;

constexpr std::string_view kComponent = "kube-scheduler";
constexpr std::string_view kGroup = "config.k8s.io";
constexpr std::string_view kSupported = "application/json, application/yaml, text/plain";
// kube-scheduler draws one of four, so that nobody comes to rely on it.
constexpr char kSeparator = ':';
constexpr int64_t kSecond = 1'000'000'000;

struct MediaType {
  std::string_view type;
  std::map<std::string_view, std::string_view> parameters;
  double quality = 1;
};

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// What precedes the next `separator`, which is taken off with it.
std::string_view TakePart(std::string_view& text, char separator) {
  const size_t end = std::min(text.find(separator), text.size());
  const std::string_view part = Trim(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

std::vector<MediaType> ParseAccept(std::string_view accept) {
  std::vector<MediaType> types;
  while (!accept.empty()) {
    std::string_view clause = TakePart(accept, ',');
    MediaType type;
    type.type = TakePart(clause, ';');
    while (!clause.empty()) {
      std::string_view parameter = TakePart(clause, ';');
      const std::string_view name = TakePart(parameter, '=');
      if (name == "q") {
        std::from_chars(parameter.data(), parameter.data() + parameter.size(), type.quality);
      } else {
        type.parameters[name] = Trim(parameter);
      }
    }
    if (!type.type.empty()) types.push_back(std::move(type));
  }
  std::ranges::stable_sort(types, std::greater{}, &MediaType::quality);
  return types;
}

struct Form {
  enum class Kind { kText, kJson, kYaml, kNone } kind = Kind::kNone;
  std::string version = {};  // Of structured ones.
};

// The form of a `kind` ("Flagz") that the client wants most.
Form Negotiate(std::string_view accept, std::string_view kind) {
  if (Trim(accept).empty()) return {Form::Kind::kText};
  for (const MediaType& type : ParseAccept(accept)) {
    const auto parameter = [&](std::string_view name) {
      const auto found = type.parameters.find(name);
      return found == type.parameters.end() ? std::string_view() : found->second;
    };
    const bool is_any = type.type == "*/*";
    if (parameter("as").empty()) {
      if (is_any || type.type == "text/plain" || type.type == "text/*") return {Form::Kind::kText};
      continue;
    }
    const std::string_view version = parameter("v");
    const bool is_known = parameter("as") == kind && parameter("g") == kGroup &&
                          (version == "v1beta1" || version == "v1alpha1");
    if (!is_known) continue;
    if (is_any || type.type == "application/json" || type.type == "application/*") {
      return {Form::Kind::kJson, std::string(version)};
    }
    if (type.type == "application/yaml") return {Form::Kind::kYaml, std::string(version)};
  }
  return {};
}

std::string Header(std::string_view page) {
  return fmt::format(
      "\n{} {}\nWarning: This endpoint is not meant to be machine parseable, has no formatting "
      "compatibility guarantees and is for debugging purposes only.\n",
      kComponent, page);
}

JsonValue StartObject(std::string_view kind, const std::string& version) {
  JsonValue metadata = JsonValue::Object();
  metadata.Add("name", JsonValue::String(kComponent));
  JsonValue object = JsonValue::Object();
  object.Add("kind", JsonValue::String(kind));
  object.Add("apiVersion", JsonValue::String(fmt::format("{}/{}", kGroup, version)));
  object.Add("metadata", std::move(metadata));
  return object;
}

net::ServerAnswer Structured(const net::ServerRequest& request, const Form& form,
                             const JsonValue& object, std::string_view page) {
  net::ServerAnswer answer =
      form.kind == Form::Kind::kJson
          ? JsonAnswer(request, 200, object)
          : net::ServerAnswer::Text(200, "application/yaml", config::ToYamlText(object));
  if (form.version == "v1alpha1") {
    answer.headers.push_back(
        {"Warning", fmt::format("299 - \"This version of the {} endpoint is deprecated. Please use "
                                "a newer version.\"",
                                page)});
  }
  return answer;
}

std::string FormatTime(Instant time, const char* format) {
  const std::time_t seconds = time.nanos / kSecond;
  std::tm utc = {};
  gmtime_r(&seconds, &utc);
  char text[64];
  return {text, std::strftime(text, sizeof(text), format, &utc)};
}

std::vector<std::string> FirstFolders(const std::vector<std::string>& paths) {
  std::set<std::string> folders;
  for (const std::string& path : paths) {
    if (path.size() > 1) folders.insert(path.substr(0, path.find('/', 1)));
  }
  return {folders.begin(), folders.end()};
}

}  // namespace

net::ServerAnswer FlagzAnswer(const net::ServerRequest& request,
                              const std::map<std::string, std::string>& flags) {
  const Form form = Negotiate(request.header("Accept"), "Flagz");
  if (form.kind == Form::Kind::kNone) return NotAcceptableAnswer(request, kSupported);
  if (form.kind == Form::Kind::kText) {
    std::string text = Header("flagz");
    for (const auto& [name, value] : flags) {
      text += fmt::format("{}{}{}\n", name, kSeparator, value);
    }
    return PlainAnswer(200, std::move(text));
  }
  JsonValue object = StartObject("Flagz", form.version);
  JsonValue values = JsonValue::Object();
  for (const auto& [name, value] : flags) values.Add(name, JsonValue::String(value));
  object.Add("flags", std::move(values));
  return Structured(request, form, object, "flagz");
}

net::ServerAnswer StatuszAnswer(const net::ServerRequest& request, const StatusPage& page) {
  const Form form = Negotiate(request.header("Accept"), "Statusz");
  if (form.kind == Form::Kind::kNone) return NotAcceptableAnswer(request, kSupported);
  const int64_t up = std::max<int64_t>(0, (page.now - page.started).nanos / kSecond);
  const std::vector<std::string> paths = FirstFolders(page.paths);
  if (form.kind == Form::Kind::kText) {
    // The last two lines are there, but empty, if there is nothing to say.
    std::string text = Header("statusz");
    const auto line = [&](std::string_view name, std::string_view value) {
      text += value.empty() ? "\n" : fmt::format("{}{} {}\n", name, kSeparator, value);
    };
    text += '\n';
    line("Started", FormatTime(page.started, "%a %b %e %H:%M:%S UTC %Y"));
    line("Up", fmt::format("{} hr {:02} min {:02} sec", up / 3600, up / 60 % 60, up % 60));
    line("Go version", page.runtime);
    line("Binary version", page.binary_version);
    line("Emulation version", page.emulation_version);
    line("Paths", fmt::format("{}", fmt::join(paths, " ")));
    return PlainAnswer(200, std::move(text));
  }
  JsonValue object = StartObject("Statusz", form.version);
  object.Add("startTime", JsonValue::String(FormatTime(page.started, "%Y-%m-%dT%H:%M:%SZ")));
  object.Add("uptimeSeconds", JsonValue::Number(up));
  object.Add("goVersion", JsonValue::String(page.runtime));
  object.Add("binaryVersion", JsonValue::String(page.binary_version));
  if (!page.emulation_version.empty()) {
    object.Add("emulationVersion", JsonValue::String(page.emulation_version));
  }
  JsonValue list = JsonValue::Array();
  for (const std::string& path : paths) list.items.push_back(JsonValue::String(path));
  object.Add("paths", std::move(list));
  return Structured(request, form, object, "statusz");
}

}  // namespace berth::daemon
