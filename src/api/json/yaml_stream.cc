#include "api/json/yaml_stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "api/json/json_text.h"
#include "api/json/writer.h"
#include "api/json/yaml_scalar.h"
#include "base/check.h"
#include "base/text.h"

namespace berth::api {

namespace {

// The limit for a document with expanded aliases: the floor plus the factor times the text's size.
constexpr size_t kExpansionFloor = 1 << 20;
constexpr size_t kExpansionFactor = 10;

struct Node {
  enum class Type : uint8_t { kScalar, kSequence, kMapping };
  Type type = Type::kScalar;
  yaml_mark_t mark{};
  bool complete = true;    // False while its children are being read.
  bool merge_key = false;  // An unquoted <<.
  YamlScalar scalar;
  std::vector<Node*> children;  // Of a mapping: key, value, key, value.
};

std::unexpected<Error> FailAt(const yaml_mark_t& mark, std::string_view problem) {
  return Fail(fmt::format("line {}, column {}: {}", mark.line + 1, mark.column + 1, problem));
}

// In the words of kube-apiserver, which names no column.
std::unexpected<Error> FailAtLine(const yaml_mark_t& mark, std::string_view problem) {
  return Fail(fmt::format("line {}: {}", mark.line + 1, problem));
}

// An event of libyaml, freed by the destructor.
struct Event {
  Event() = default;
  ~Event() { yaml_event_delete(&raw); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  yaml_event_t raw{};
};

std::string_view View(const yaml_char_t* text) {
  return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

// TreeBuilder builds the nodes of one document. Aliases share the node of their anchor.
class TreeBuilder {
 public:
  TreeBuilder(yaml_parser_t& parser, std::string_view text) : parser_(parser), text_(text) {}

  // Reads a node whose first event is `event`.
  Result<Node*> Read(const yaml_event_t& event, size_t depth) {
    if (depth > kMaxNesting) {
      return FailAt(event.start_mark, fmt::format("nested deeper than {} levels", kMaxNesting));
    }
    switch (event.type) {
      case YAML_ALIAS_EVENT:
        return FindAnchor(event);
      case YAML_SCALAR_EVENT:
        return ReadScalar(event);
      case YAML_SEQUENCE_START_EVENT:
        return ReadChildren(event, Node::Type::kSequence, event.data.sequence_start.anchor,
                            YAML_SEQUENCE_END_EVENT, depth);
      default:
        return ReadChildren(event, Node::Type::kMapping, event.data.mapping_start.anchor,
                            YAML_MAPPING_END_EVENT, depth);
    }
  }

  Status NextEvent(Event& event) {
    if (yaml_parser_parse(&parser_, &event.raw) != 0) return {};
    std::string problem = parser_.problem == nullptr ? "not enough memory" : parser_.problem;
    if (parser_.context != nullptr) problem += fmt::format(" {}", parser_.context);
    yaml_mark_t mark = parser_.problem_mark;
    if (parser_.error == YAML_READER_ERROR) mark = MarkOfOffset(parser_.problem_offset);
    return FailAt(mark, problem);
  }

 private:
  yaml_mark_t MarkOfOffset(size_t offset) const {
    const std::string_view before = text_.substr(0, offset);
    const size_t newline = before.rfind('\n');
    yaml_mark_t mark{};
    mark.line = static_cast<size_t>(std::ranges::count(before, '\n'));
    mark.column = newline == std::string_view::npos ? before.size() : before.size() - newline - 1;
    return mark;
  }

  Node* NewNode(const yaml_event_t& event, Node::Type type, const yaml_char_t* anchor) {
    Node& node = nodes_.emplace_back();
    node.type = type;
    node.mark = event.start_mark;
    if (anchor != nullptr) anchors_[std::string(View(anchor))] = &node;
    return &node;
  }

  Result<Node*> FindAnchor(const yaml_event_t& event) {
    const std::string name(View(event.data.alias.anchor));
    const auto found = anchors_.find(name);
    if (found == anchors_.end()) {
      return FailAt(event.start_mark, fmt::format("unknown anchor '{}'", Shorten(name)));
    }
    if (!found->second->complete) {
      return FailAt(event.start_mark, fmt::format("anchor '{}' contains itself", Shorten(name)));
    }
    return found->second;
  }

  Result<Node*> ReadScalar(const yaml_event_t& event) {
    const auto& scalar = event.data.scalar;
    const std::string_view text(reinterpret_cast<const char*>(scalar.value), scalar.length);
    Node* node = NewNode(event, Node::Type::kScalar, scalar.anchor);
    const bool plain = scalar.style == YAML_PLAIN_SCALAR_STYLE;
    if (scalar.tag != nullptr) {
      auto resolved = ResolveTagged(text, View(scalar.tag));
      if (!resolved) return FailAt(event.start_mark, resolved.error().message);
      node->scalar = *std::move(resolved);
    } else if (plain) {
      node->scalar = ResolvePlain(text);
      node->merge_key = text == "<<";
    } else {
      node->scalar.text = text;
    }
    return node;
  }

  Result<Node*> ReadChildren(const yaml_event_t& start, Node::Type type, const yaml_char_t* anchor,
                             yaml_event_type_t end, size_t depth) {
    Node* node = NewNode(start, type, anchor);
    node->complete = false;
    while (true) {
      Event event;
      if (auto status = NextEvent(event); !status) return std::unexpected(status.error());
      if (event.raw.type == end) break;
      auto child = Read(event.raw, depth + 1);
      if (!child) return child;
      node->children.push_back(*child);
    }
    node->complete = true;
    return node;
  }

  yaml_parser_t& parser_;
  std::string_view text_;
  std::deque<Node> nodes_;
  std::map<std::string, Node*> anchors_;
};

// TreeWriter writes nodes as JSON.
class TreeWriter {
 public:
  explicit TreeWriter(size_t text_size) : limit_(kExpansionFloor + kExpansionFactor * text_size) {}

  Status Write(const Node& node, size_t depth) {
    if (auto status = Spend(node, depth); !status) return status;
    switch (node.type) {
      case Node::Type::kScalar:
        return WriteScalar(node);
      case Node::Type::kSequence:
        return WriteSequence(node, depth);
      case Node::Type::kMapping:
        return WriteMapping(node, depth);
    }
    return {};
  }

  std::string Take() { return std::move(out_); }

 private:
  // Ordered, since the keys of a hash table could be chosen to collide.
  using KeySet = std::set<std::string>;

  // Limits the expansion of aliases in size, depth and time.
  Status Spend(const Node& node, size_t depth) {
    ++visits_;
    if (out_.size() + visits_ > limit_) {
      return FailAt(node.mark, "the document grows too large when its aliases are expanded");
    }
    if (depth > kMaxNesting) {
      return FailAt(node.mark, fmt::format("nested deeper than {} levels", kMaxNesting));
    }
    return {};
  }

  Status WriteScalar(const Node& node) {
    if (!node.scalar.finite) {
      return FailAt(node.mark,
                    fmt::format("{} is not a number that JSON can hold", node.scalar.text));
    }
    if (node.scalar.type == ScalarType::kString) {
      AppendJsonString(out_, node.scalar.text);
    } else {
      out_ += node.scalar.text;
    }
    return {};
  }

  Status WriteSequence(const Node& node, size_t depth) {
    out_ += '[';
    for (size_t i = 0; i < node.children.size(); ++i) {
      if (i > 0) out_ += ',';
      if (auto status = Write(*node.children[i], depth + 1); !status) return status;
    }
    out_ += ']';
    return {};
  }

  Status WriteMapping(const Node& node, size_t depth) {
    KeySet keys;
    out_ += '{';
    if (auto status = WriteEntries(node, keys, depth); !status) return status;
    out_ += '}';
    return {};
  }

  // Writes the entries of `node` into the current object, which already has `keys`.
  Status WriteEntries(const Node& node, KeySet& keys, size_t depth) {
    for (size_t i = 0; i < node.children.size(); i += 2) {
      const Node& key = *node.children[i];
      const Node& value = *node.children[i + 1];
      if (key.merge_key) {
        if (auto status = Merge(value, keys, depth); !status) return status;
        continue;
      }
      if (auto status = WriteKey(key, keys); !status) return status;
      if (auto status = Write(value, depth + 1); !status) return status;
    }
    return {};
  }

  Status WriteKey(const Node& key, KeySet& keys) {
    if (key.type != Node::Type::kScalar)
      return FailAt(key.mark, "a key must not be a list or a map");
    auto text = KeyText(key.scalar);
    if (!text) return FailAt(key.mark, text.error().message);
    if (!keys.empty()) out_ += ',';
    AppendJsonString(out_, *text);
    out_ += ':';
    if (!keys.insert(*text).second) {
      return FailAtLine(key.mark, fmt::format("key \"{}\" already set in map", Shorten(*text)));
    }
    return {};
  }

  // Writes the entries of `value`, the value of a << key: a map or a list of maps.
  Status Merge(const Node& value, KeySet& keys, size_t depth) {
    if (auto status = Spend(value, depth); !status) return status;
    if (value.type == Node::Type::kMapping) return WriteEntries(value, keys, depth + 1);
    const auto is_map = [](const Node* node) { return node->type == Node::Type::kMapping; };
    if (value.type == Node::Type::kScalar || !std::ranges::all_of(value.children, is_map)) {
      return FailAt(value.mark, "<< needs a map or a list of maps");
    }
    for (const Node* map : value.children) {
      if (auto status = Merge(*map, keys, depth + 1); !status) return status;
    }
    return {};
  }

  size_t limit_;
  size_t visits_ = 0;
  std::string out_;
};

}  // namespace

YamlStream::YamlStream(std::string_view text) : text_(text) {
  CHECK(yaml_parser_initialize(&parser_) != 0);  // Fails only without memory.
  yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()),
                               text.size());
}

YamlStream::~YamlStream() { yaml_parser_delete(&parser_); }

Result<std::optional<std::string>> YamlStream::Next() {
  TreeBuilder builder(parser_, text_);
  TreeWriter writer(text_.size());
  while (true) {
    Event event;
    if (auto status = builder.NextEvent(event); !status) return std::unexpected(status.error());
    switch (event.raw.type) {
      case YAML_NO_EVENT:  // After the end of the stream.
      case YAML_STREAM_END_EVENT:
        return std::nullopt;
      case YAML_STREAM_START_EVENT:
      case YAML_DOCUMENT_START_EVENT:
        continue;
      case YAML_DOCUMENT_END_EVENT:
        return writer.Take();
      default:
        break;
    }
    const auto root = builder.Read(event.raw, 1);
    if (!root) return std::unexpected(root.error());
    if (auto status = writer.Write(**root, 1); !status) return std::unexpected(status.error());
  }
}

}  // namespace berth::api
