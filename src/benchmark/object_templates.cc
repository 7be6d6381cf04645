#include "benchmark/object_templates.h"

#include <fmt/format.h>

#include <boost/json/value.hpp>
#include <filesystem>
#include <utility>

#include "api/json/parse.h"
#include "api/json/yaml.h"
#include "benchmark/go_template.h"

namespace berth::benchmark {
namespace {

// How many folders above that of the workload may have the template.
constexpr int kParents = 3;

Result<api::Json> ToObject(const std::string& yaml, const std::string& path) {
  const auto json = api::FirstDocumentToJson(yaml);
  if (!json) return Fail(fmt::format("{}: {}", path, json.error().message));
  auto document = api::ParseJson(*json);
  if (!document) return Fail(fmt::format("{}: {}", path, document.error().message));
  if (!document->is_object()) return Fail(fmt::format("{}: not an object", path));
  return document;
}

}  // namespace

struct ObjectTemplates::Loaded {
  GoTemplate text;
  std::optional<api::Json> object;  // The result, if it is always the same.
};

ObjectTemplates::ObjectTemplates(const std::string& file, const Environment& environment)
    : folder_(std::filesystem::path(file).parent_path()), environment_(environment) {}

ObjectTemplates::~ObjectTemplates() = default;

Result<std::string> ObjectTemplates::Read(const std::string& path) {
  std::filesystem::path folder = folder_.empty() ? "." : folder_;
  const std::string first = (folder / path).lexically_normal();
  auto text = environment_.read_file(first);
  for (int i = 0; !text && i < kParents; ++i) {
    folder /= "..";
    if (auto found = environment_.read_file((folder / path).lexically_normal())) return found;
  }
  if (text && text->size() > GoTemplate::kMaxResult) {
    return Fail(fmt::format("{}: larger than {} bytes", first, GoTemplate::kMaxResult));
  }
  return text;
}

Result<ObjectTemplates::Loaded*> ObjectTemplates::Load(const std::string& path) {
  std::unique_ptr<Loaded>& loaded = loaded_[path];
  if (loaded != nullptr) return loaded.get();
  auto text = Read(path);
  if (!text) return std::unexpected(text.error());
  auto parsed = GoTemplate::Parse(*text);
  if (!parsed) return Fail(fmt::format("{}: {}", path, parsed.error().message));
  auto made = std::make_unique<Loaded>(*std::move(parsed), std::nullopt);
  if (made->text.is_constant()) {
    auto object = ToObject(*text, path);
    if (!object) return std::unexpected(object.error());
    made->object = *std::move(object);
  }
  loaded = std::move(made);
  return loaded.get();
}

Result<api::Json> ObjectTemplates::Make(const TemplateFile& file, int64_t index, int64_t count) {
  const auto loaded = Load(file.path);
  if (!loaded) return std::unexpected(loaded.error());
  if ((*loaded)->object) return *(*loaded)->object;
  TemplateValues values = file.values;
  values["Index"] = index;
  values["Count"] = count;
  const auto text = (*loaded)->text.Expand(values);
  if (!text) return Fail(fmt::format("{}: {}", file.path, text.error().message));
  return ToObject(*text, file.path);
}

}  // namespace berth::benchmark
