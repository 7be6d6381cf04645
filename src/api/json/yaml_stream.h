// YamlStream reads the documents of a YAML text one by one and converts each to JSON.
//
// Next parses one document: the text after it may be malformed.
#pragma once

#include <yaml.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace berth::api {

class YamlStream {
 public:
  // `text` must outlive the stream.
  explicit YamlStream(std::string_view text);
  ~YamlStream();
  YamlStream(const YamlStream&) = delete;
  YamlStream& operator=(const YamlStream&) = delete;

  // Returns the next document as JSON, "null" if it is empty; nullopt at the end. Errors begin with
  // line and column. Must not be called again after an error.
  Result<std::optional<std::string>> Next();

 private:
  std::string_view text_;
  yaml_parser_t parser_;
};

}  // namespace berth::api
