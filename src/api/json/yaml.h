// Reads YAML the way Kubernetes does: convert each document to JSON, then use the one JSON decoder.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"
#include "base/result.h"

namespace berth::api {

// Converts every document of `yaml` to JSON text, in order; empty documents are dropped. JSON input
// passes too, being YAML. Follows YAML 1.1 as Kubernetes' reader does (yes/no/on/off are booleans,
// 010 is octal, merge keys work, but must not set a key twice). Duplicate keys, unknown anchors,
// non-string keys of compound type and nesting deeper than 200 are errors with line and column.
Result<std::vector<std::string>> YamlToJson(std::string_view yaml);

// Converts the first document only, as the reader of configuration files does: what follows is not
// looked at, even if broken. Text that begins with a brace is returned as it is, being JSON and not
// YAML. No document and an empty one give "null".
Result<std::string> FirstDocumentToJson(std::string_view text);

// Decodes all objects in `text`, YAML or JSON, many documents and Lists included.
// `file` names the source in errors: "cluster.yaml: document 2: Pod "default/web": spec.priority:
// ...".
Result<std::vector<Object>> DecodeObjects(std::string_view text, std::string_view file);

}  // namespace berth::api
