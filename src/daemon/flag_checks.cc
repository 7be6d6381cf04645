#include "daemon/flag_checks.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/yaml.h"
#include "config/field_errors.h"
#include "config/json_value.h"
#include "daemon/go_quote.h"
#include "daemon/serving_tls.h"
#include "net/http_message.h"

namespace berth::daemon {
namespace {

constexpr std::string_view kPreviousVersion = "1.35";

void CheckHeaders(const RequestHeaderFlags& flags, std::vector<std::string>& problems,
                  std::vector<std::string>& warnings) {
  const auto check = [&](const char* flag, const std::vector<std::string>& names) {
    const auto is_blank = [](const std::string& name) {
      return name.find_first_not_of(" \t") == name.npos;
    };
    if (std::ranges::any_of(names, is_blank)) {
      problems.push_back(fmt::format("empty value in \"{}\"", flag));
    }
  };
  const auto lacks = [](const std::vector<std::string>& names, const char* usual) {
    return !names.empty() && std::ranges::none_of(names, [&](const std::string& name) {
      return net::EqualIgnoringCase(name, usual);
    });
  };
  check("requestheader-username-headers", flags.username_headers);
  check("requestheader-uid-headers", flags.uid_headers);
  check("requestheader-group-headers", flags.group_headers);
  check("requestheader-extra-headers-prefix", flags.extra_header_prefixes);
  check("requestheader-allowed-names", flags.allowed_names);
  const auto expect = [&](const char* flag, const std::vector<std::string>& names,
                          const char* usual, const char* what) {
    if (!lacks(names, usual)) return;
    warnings.push_back(
        fmt::format("--{} is set without specifying the standard {} {} - API aggregation will not "
                    "work",
                    flag, usual, what));
  };
  expect("requestheader-username-headers", flags.username_headers, "X-Remote-User", "header");
  expect("requestheader-group-headers", flags.group_headers, "X-Remote-Group", "header");
  expect("requestheader-extra-headers-prefix", flags.extra_header_prefixes, "X-Remote-Extra-",
         "header prefix");
  if (lacks(flags.uid_headers, "X-Remote-Uid")) {
    problems.emplace_back(
        "--requestheader-uid-headers is set without specifying the standard X-Remote-Uid header - "
        "API aggregation will not work");
  }
}

void CheckServing(const ServingFlags& serving, std::vector<std::string>& problems) {
  if (serving.secure_port < 0 || serving.secure_port > 65535) {
    problems.push_back(fmt::format(
        "--secure-port {} must be between 0 and 65535, inclusive. 0 for turning off secure port",
        serving.secure_port));
  }
  if (serving.tls_cert_file.empty() != serving.tls_private_key_file.empty()) {
    problems.push_back(fmt::format("missing filename for serving {}",
                                   serving.tls_cert_file.empty() ? "cert" : "key"));
  }
  if (serving.http2_max_streams < 0) {
    problems.push_back(fmt::format("--http2-max-streams-per-connection {} must not be negative",
                                   serving.http2_max_streams));
  }
  if (const auto choices = TlsChoices(serving); !choices) {
    problems.push_back(choices.error().message);
  }
}

void CheckPaths(const std::vector<std::string>& paths, std::vector<std::string>& problems) {
  for (const std::string& path : paths) {
    const std::string_view rest = std::string_view(path).substr(path.starts_with('/') ? 1 : 0);
    if (rest.empty() || rest.find('*') >= rest.size() - 1) continue;
    problems.push_back("only trailing * allowed in " + GoQuote(rest));
  }
}

void CheckVersions(const DaemonFlags& flags, std::vector<std::string>& problems) {
  const auto add = [&](const Status& status) {
    if (!status) problems.push_back(status.error().message);
  };
  add(CheckEmulatedVersion(flags.features.emulated_version));
  add(CheckMinCompatibilityVersion(flags.features.min_compatibility_version));
  const std::string& hidden = flags.metrics.show_hidden_for_version;
  if (!hidden.empty() && hidden != kPreviousVersion) {
    problems.push_back(
        fmt::format("--show-hidden-metrics-for-version must be omitted or have the value '{}'. "
                    "Only the previous minor version is allowed",
                    kPreviousVersion));
  }
}

}  // namespace

std::vector<std::string> CheckFlags(const DaemonFlags& flags, std::vector<std::string>& warnings) {
  std::vector<std::string> problems;
  CheckVersions(flags, problems);
  CheckServing(flags.serving, problems);
  CheckHeaders(flags.authentication.request_header, problems, warnings);
  CheckPaths(flags.authorization.always_allow_paths, problems);
  return problems;
}

std::vector<std::string> ReadMetricLabels(MetricsFlags& metrics, const FileReader& read) {
  std::vector<std::string> problems;
  const std::string& file = metrics.allowed_labels_manifest;
  if (metrics.allowed_labels.empty() && !file.empty()) {
    const auto text = read(file);
    if (!text) return {text.error().message};
    const auto json = api::FirstDocumentToJson(*text);
    if (!json) return {fmt::format("{}: {}", file, json.error().message)};
    const auto document = config::ParseJson(*json);
    if (!document) return {fmt::format("{}: {}", file, document.error().message)};
    const config::JsonValue* labels = document->Find("allowListMapping");
    if (labels == nullptr) return {file + ": it has no allowListMapping"};
    for (const auto& [key, value] : labels->members) {
      metrics.allowed_labels[key] = value.text;
    }
  }
  for (const auto& [key, values] : metrics.allowed_labels) {
    const size_t comma = key.find(',');
    if (comma != key.npos && comma > 0 && comma + 1 < key.size() &&
        key.find(',', comma + 1) == key.npos) {
      continue;
    }
    problems.push_back(fmt::format("--allow-metric-labels: {} is not metric,label",
                                   GoQuote(std::string_view(key))));
  }
  return problems;
}

Checked<LogOptions> ToLogOptions(const LogFlags& flags, const FeatureGates& gates) {
  config::FieldErrors errors;
  const bool is_json = flags.format == "json";
  if (flags.flush_frequency <= Duration{}) {
    errors.Invalid(config::FieldPath{"flushFrequency"}, flags.flush_frequency,
                   "Must be greater than zero");
  }
  if (!is_json && flags.format != "text") {
    errors.Invalid(config::FieldPath{"format"}, flags.format, "Unsupported log format");
  }
  if (is_json && !gates.IsOn("LoggingBetaOptions")) {
    errors.Forbidden(config::FieldPath{"format"},
                     "Log format json is disabled, see LoggingBetaOptions feature");
  }
  if (is_json && !flags.vmodule.empty()) {
    errors.Forbidden(config::FieldPath{"vmodule"}, "Only supported for text log format");
  }
  const auto check_alpha = [&](const char* path, bool is_used) {
    if (!is_used || gates.IsOn("LoggingAlphaOptions")) return;
    errors.Forbidden(config::FieldPath{path}, "Feature LoggingAlphaOptions is disabled");
  };
  check_alpha("options.text.splitStream", flags.text_split_stream);
  check_alpha("options.text.infoBufferSize", flags.text_info_buffer_bytes != 0);
  check_alpha("options.json.splitStream", flags.json_split_stream);
  check_alpha("options.json.infoBufferSize", flags.json_info_buffer_bytes != 0);
  std::vector<std::string> problems = std::move(errors).Take();
  if (!problems.empty()) return std::unexpected(std::move(problems));
  return LogOptions{
      .json = is_json,
      .verbosity = flags.verbosity,
      .vmodule = flags.vmodule,
      .split_stream = is_json ? flags.json_split_stream : flags.text_split_stream,
      .info_buffer_bytes = is_json ? flags.json_info_buffer_bytes : flags.text_info_buffer_bytes,
      .flush_frequency = flags.flush_frequency};
}

}  // namespace berth::daemon
