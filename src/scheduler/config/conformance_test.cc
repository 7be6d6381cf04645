// The vectors of config.jsonl, step by step: decoding, defaults, validation and the arguments that
// plugins get. The framework's tests cover which plugins run where.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>

#include "api/json/document.h"
#include "api/json/parse.h"
#include "api/json/yaml_writer.h"
#include "scheduler/config/engine_options.h"
#include "scheduler/config/load.h"
#include "scheduler/config/print.h"
#include "scheduler/config/validate.h"
#include "scheduler/framework/in_tree_plugin_args.h"

namespace berth::scheduler::config {
namespace BERTH_TEST_FILE {

std::string RowsFile() {
  const char* const shared = std::getenv("BERTH_SHARED");
  const std::string folder = shared != nullptr ? shared : BERTH_SOURCE_DIR "/tests";
  return folder + "/conformance/config.jsonl";
}

// As YAML, whose keys are sorted: the order of members is insignificant.
std::string Text(const api::Json& json) { return api::ToYamlText(json); }

std::string Field(const api::JsonObject& row, std::string_view name) {
  return std::string(api::StringAt(&row, name));
}

std::vector<std::string> Strings(const api::JsonObject* object, std::string_view name) {
  std::vector<std::string> strings;
  const api::JsonArray* list = api::ArrayAt(object, name);
  for (size_t i = 0; list && i < list->size(); ++i) strings.emplace_back(api::AsString((*list)[i]));
  return strings;
}

std::vector<api::JsonObject> ReadRows() {
  std::ifstream file(RowsFile());
  std::vector<api::JsonObject> rows;
  for (std::string line; std::getline(file, line);) {
    auto row = api::ParseJson(line);
    EXPECT_TRUE(row.has_value() && row->is_object()) << line;
    if (row && row->is_object()) rows.push_back(std::move(row->get_object()));
  }
  return rows;
}

class Rows : public testing::Test {
 protected:
  void SetUp() override { ASSERT_GE(rows_.size(), 200u) << "cannot read " << RowsFile(); }

  std::vector<api::JsonObject> rows_ = ReadRows();
};

// Returns the quoted names in a strict decoding error: the fields at fault.
std::set<std::string> QuotedNames(const std::string& text) {
  std::set<std::string> names;
  for (size_t begin = text.find('"'); begin != std::string::npos;) {
    const size_t end = text.find('"', begin + 1);
    if (end == std::string::npos) break;
    names.insert(text.substr(begin + 1, end - begin - 1));
    begin = text.find('"', end + 1);
  }
  return names;
}

// Errors from Go's libraries are compared by the fields and phrases they contain.
void ExpectSameDecodeError(const std::string& want, const std::vector<std::string>& got) {
  std::string all;
  for (const std::string& problem : got) all += problem + "\n";
  for (const char* const phrase :
       {"Object 'Kind' is missing", "Object 'apiVersion' is missing", "json parse error",
        "couldn't decode as KubeSchedulerConfiguration, got", "unexpected end of JSON input",
        "cannot unmarshal string", "cannot unmarshal number", "cannot unmarshal bool",
        "cannot unmarshal array", "missing unit in duration", "unknown field", "were not of type",
        "no kind", "decoding .profiles[0].pluginConfig[0]: "}) {
    if (want.find(phrase) != std::string::npos) {
      EXPECT_NE(all.find(phrase), std::string::npos) << phrase << "\nwant: " << want << "\n" << all;
    }
  }
  if (want.starts_with("strict decoding error") && !want.contains("yaml:")) {
    EXPECT_EQ(QuotedNames(all), QuotedNames(want)) << all;
  }
  if (want.contains("already set in map")) {
    for (const std::string& key : QuotedNames(want)) EXPECT_TRUE(all.contains(key)) << all;
  }
}

TEST_F(Rows, DecodeOrFailToDecode) {
  for (const api::JsonObject& row : rows_) {
    SCOPED_TRACE(Field(row, "name") + ": " + Field(row, "note"));
    const auto configuration = Decode(Field(row, "yaml"));
    const bool should_decode = Field(row, "stage") != "decode";
    EXPECT_EQ(configuration.has_value(), should_decode)
        << (configuration ? "" : configuration.error().front());
    if (!configuration && !should_decode) {
      ExpectSameDecodeError(Strings(&row, "errors").at(0), configuration.error());
    }
  }
}

TEST_F(Rows, PrintAsCompleted) {
  for (const api::JsonObject& row : rows_) {
    const api::Json* const want = api::At(&row, "completed");
    if (want == nullptr) continue;
    SCOPED_TRACE(Field(row, "name") + ": " + Field(row, "note"));
    const auto configuration = Decode(Field(row, "yaml"));
    ASSERT_TRUE(configuration.has_value());
    EXPECT_EQ(Text(ToJson(*configuration)), Text(*want));
  }
}

TEST_F(Rows, LoadAgainAsPrinted) {
  for (const api::JsonObject& row : rows_) {
    if (!api::BoolAt(&row, "ok")) continue;
    SCOPED_TRACE(Field(row, "name") + ": " + Field(row, "note"));
    const auto configuration = Load(Field(row, "yaml"), "row");
    ASSERT_TRUE(configuration.has_value());
    for (const std::string& text : {ToYaml(*configuration), ToJsonText(*configuration)}) {
      const auto again = Load(text, "printed");
      ASSERT_TRUE(again.has_value()) << again.error().message << "\n" << text;
      EXPECT_EQ(ToJsonText(*again), ToJsonText(*configuration));
    }
  }
}

TEST_F(Rows, ValidateWithTheSameErrors) {
  for (const api::JsonObject& row : rows_) {
    if (Field(row, "stage") == "decode") continue;
    SCOPED_TRACE(Field(row, "name") + ": " + Field(row, "note"));
    const auto configuration = Decode(Field(row, "yaml"));
    ASSERT_TRUE(configuration.has_value());
    std::vector<std::string> errors = Validate(*configuration);
    std::ranges::sort(errors);
    const bool is_invalid = Field(row, "stage") == "validate";
    EXPECT_EQ(errors, is_invalid ? Strings(&row, "errors") : std::vector<std::string>());
  }
}

TEST_F(Rows, GivePluginsTheirArguments) {
  for (const api::JsonObject& row : rows_) {
    if (!api::BoolAt(&row, "ok")) continue;
    SCOPED_TRACE(Field(row, "name") + ": " + Field(row, "note"));
    const auto configuration = Load(Field(row, "yaml"), "row");
    ASSERT_TRUE(configuration.has_value());
    const auto profiles = ToProfileConfigs(*configuration);
    ASSERT_TRUE(profiles.has_value());
    for (const framework::ProfileConfig& profile : *profiles) {
      std::vector<std::string> used;
      for (const auto& [name, args] : profile.args) used.push_back(name);
      EXPECT_EQ(used, Strings(api::ObjectAt(&row, "usedArgs"), profile.scheduler_name));

      const api::JsonObject* const ignored = api::ObjectAt(&row, "fitIgnoredResources");
      if (ignored == nullptr) continue;
      const auto fit = profile.args.find("NodeResourcesFit");
      ASSERT_NE(fit, profile.args.end());
      EXPECT_EQ(std::any_cast<framework::NodeResourcesFitArgs>(fit->second).ignored_resources,
                Strings(ignored, profile.scheduler_name));
    }
  }
}

}  // namespace BERTH_TEST_FILE
}  // namespace berth::scheduler::config
