// YamlStream reads the documents of a YAML text one after the other and converts each to JSON.
//
// A document is parsed only when it is asked for: what follows the last one taken may be broken.
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

  // The next document as JSON, "null" if it is empty; nullopt at the end. Errors begin with line
  // and column. After an error the stream must not be read on.
  Result<std::optional<std::string>> Next();

 private:
  std::string_view text_;
  yaml_parser_t parser_;
};

}  // namespace berth::api
