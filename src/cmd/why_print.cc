#include "cmd/why_print.h"

#include <fmt/format.h>

#include <cstdio>
#include <utility>

#include "api/json/document.h"
#include "api/json/writer.h"
#include "api/json/yaml_writer.h"
#include "base/terminal.h"
#include "cmd/command_line.h"

namespace berth::cmd {
namespace {

// Adds to a document what could not be read.
void AddLeftOut(const WhyCluster& cluster, api::JsonObject& document) {
  if (cluster.left_out().empty()) return;
  api::JsonArray& list = document["leftOut"].emplace_array();
  for (const LeftOut& left_out : cluster.left_out()) {
    api::JsonObject& one = list.emplace_back(boost::json::object_kind).get_object();
    one.emplace("resource", left_out.resource);
    one.emplace("reason", left_out.reason);
  }
}

}  // namespace

TimeFormat TimesOf(const WhyOptions& options, const WhyCluster& cluster) {
  return {cluster.now(), options.output == "wide"};
}

std::string LeftOutText(const WhyCluster& cluster) {
  if (cluster.left_out().empty()) return "";
  std::string out = "\nLeft out, so that the answer may be wrong where it depends on them:\n";
  for (const LeftOut& left_out : cluster.left_out()) {
    out += fmt::format("  {}: {}\n", left_out.resource, left_out.reason);
  }
  return out;
}

int PrintAnswer(const WhyOptions& options, const WhyCluster& cluster, const std::string& text,
                api::JsonObject document) {
  if (options.is_text()) {
    Print("{}{}", text, LeftOutText(cluster));
    return kExitOk;
  }
  AddLeftOut(cluster, document);
  if (options.output == "json") {
    Print("{}\n", api::ToPrettyJson(document));
  } else {
    Print("{}", api::ToYamlText(document));
  }
  return kExitOk;
}

int WhyFailed(std::string_view message) {
  PrintError("berth why: {}\n", message);
  return kExitFailed;
}

}  // namespace berth::cmd
