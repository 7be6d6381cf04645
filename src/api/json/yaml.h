// The decoder of Kubernetes objects from YAML: as in Kubernetes, each document is converted to
// JSON, which the JSON decoder reads.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "api/object.h"
#include "base/result.h"

namespace berth::api {

// Converts every document of `yaml` to JSON text, in order; drops empty documents. Accepts JSON, a
// subset of YAML. Follows YAML 1.1 like Kubernetes (yes/no/on/off are booleans, 010 is octal, merge
// keys work but must not set a key twice). Duplicate keys, unknown anchors, keys of compound type
// and nesting deeper than kMaxNesting are errors with line and column.
Result<std::vector<std::string>> YamlToJson(std::string_view yaml);

// Converts only the first document, as kube-scheduler does with configuration files: the text after
// it is not parsed. Returns text that begins with a brace unchanged, since it is JSON. Returns
// "null" if there is no document or it is empty.
Result<std::string> FirstDocumentToJson(std::string_view text);

// One document of a text.
struct DocumentText {
  size_t number = 1;      // In the text, from 1.
  size_t first_line = 1;  // Of a JSON document, in the text.
  bool is_json = false;   // As given; otherwise converted from YAML, which has no duplicate keys.
  std::string_view json;
};

// Calls `visit` for each document of `text` that is not empty, in order, until it fails. `text` is
// YAML or JSON with any number of documents. Errors begin with the document: "document 2: ...".
Status ForEachDocument(std::string_view text,
                       const std::function<Status(const DocumentText&)>& visit);

// Decodes all objects in `text`, which is YAML or JSON with any number of documents and Lists.
// `file` names the source in errors:
//   cluster.yaml: document 2: Pod "default/web": spec.priority: ...
Result<std::vector<Object>> DecodeObjects(std::string_view text, std::string_view file);

}  // namespace berth::api
