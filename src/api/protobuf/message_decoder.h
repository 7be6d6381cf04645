// MessageDecoder is the visitor of api/json/fields.h that reads protobuf: it holds one field of a
// message and stores it in the struct's field of the same JSON name.
//
// Zeros count as unset by the same rules as in the conversion to JSON (descriptor_tables.h).
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/json/fields.h"
#include "api/protobuf/descriptors.h"
#include "api/protobuf/to_json.h"
#include "api/protobuf/wire_reader.h"
#include "api/quantity.h"
#include "base/time.h"

namespace berth::api::protobuf {

class MessageDecoder {
 public:
  // An error with the path of its field; no error if `text` is empty.
  struct Problem {
    std::string path = {};
    std::string text = {};

    bool empty() const { return text.empty(); }
    std::string ToString() const { return path.empty() ? text : path + ": " + text; }
  };

  template <typename T>
  static Problem ReadStruct(std::string_view bytes, const MessageDescriptor& message, int depth,
                            T& out) {
    constexpr int kMaxDepth = 64;
    if (depth > kMaxDepth) return {.text = "messages are nested too deeply"};
    for (WireReader reader(bytes); !reader.done();) {
      const auto wire = reader.Next();
      if (!wire) return {.text = wire.error()};
      const FieldDescriptor* field = message.Find(wire->number);
      if (field == nullptr) continue;
      MessageDecoder value(*wire, *field, depth + 1);
      if (field->name.empty()) {
        // The message is embedded: its fields are those of the struct.
        if (value.IsBytes()) {
          value.problem_ = ReadStruct(wire->bytes, *field->message, depth + 1, out);
        }
        if (!value.problem_.empty()) return value.problem_;
        continue;
      }
      Fields(value, out);
      if (!value.problem_.empty()) return value.At(field->name);
    }
    if constexpr (requires { ApplyDefaults(out); }) ApplyDefaults(out);
    return {};
  }

  template <typename T>
  [[gnu::always_inline]] void operator()(std::string_view name, T& field) {
    if (Take(name)) Read(field);
  }

  template <typename T>
  [[gnu::always_inline]] void Required(std::string_view name, T& field) {
    (*this)(name, field);
  }

  void Names(std::string_view name, std::string_view inner, std::vector<std::string>& names) {
    if (!Take(name)) return;
    std::string& entry = names.emplace_back();
    ForEachPart([&](const WireField& wire, const FieldDescriptor& part) {
      if (part.name == inner) ReadNested(wire, part, entry);
    });
  }

  template <typename Variant, typename T>
  void Alternative(std::string_view name, Variant& variant, As<T>) {
    if (!Take(name)) return;
    // Protobuf merges a message that occurs several times.
    if (!std::holds_alternative<T>(variant)) variant.template emplace<T>();
    ReadMessage(std::get<T>(variant));
  }

 private:
  MessageDecoder(const WireField& wire, const FieldDescriptor& field, int depth)
      : wire_(wire), field_(field), depth_(depth) {}

  [[gnu::always_inline]] bool Take(std::string_view name) {
    if (taken_ || name != field_.name) return false;
    return taken_ = true;
  }

  Problem At(std::string_view name) const {
    std::string path(name);
    if (!problem_.path.empty()) path.append(".").append(problem_.path);
    return {std::move(path), problem_.text};
  }

  bool IsBytes() {
    if (wire_.type == WireType::kBytes) return true;
    problem_.text = "the value is " + std::string(NameOf(wire_.type));
    return false;
  }

  template <typename Use>
  void ForEachPart(const Use& use) {
    if (!IsBytes()) return;
    for (WireReader reader(wire_.bytes); !reader.done() && problem_.empty();) {
      const auto wire = reader.Next();
      if (!wire) {
        problem_.text = wire.error();
        return;
      }
      const FieldDescriptor* part =
          field_.message != nullptr ? field_.message->Find(wire->number) : nullptr;
      if (part != nullptr) use(*wire, *part);
    }
  }

  template <typename T>
  void ReadNested(const WireField& wire, const FieldDescriptor& field, T& out) {
    MessageDecoder value(wire, field, depth_ + 1);
    value.Read(out);
    if (!value.problem_.empty()) problem_ = value.At(field.name);
  }

  template <typename T>
  void ReadMessage(T& out) {
    if (!IsBytes()) return;
    if (field_.message == nullptr) {
      problem_.text = "it is not a message";
      return;
    }
    problem_ = ReadStruct(wire_.bytes, *field_.message, depth_, out);
  }

  // The overloads of Read differ by the type of the struct's field.

  void Read(std::string& out) {
    if (!IsBytes()) return;
    const auto text = CheckedText(wire_.bytes);
    if (text) {
      out = *text;
    } else {
      problem_.text = text.error();
    }
  }

  std::optional<int64_t> Number() {
    if (wire_.type == WireType::kVarint) return static_cast<int64_t>(wire_.value);
    problem_.text = "the value is " + std::string(NameOf(wire_.type));
    return std::nullopt;
  }
  void Read(bool& out) {
    if (const auto number = Number()) out = *number != 0;
  }
  void Read(int64_t& out) {
    if (const auto number = Number()) out = *number;
  }
  void Read(int32_t& out) {
    using Limits = std::numeric_limits<int32_t>;
    const auto number = Number();
    if (!number) return;
    if (*number < Limits::min() || *number > Limits::max()) {
      problem_.text = fmt::format("{} does not fit in 32 bits", *number);
      return;
    }
    out = static_cast<int32_t>(*number);
  }

  void Read(Quantity& out) {
    if (!IsBytes()) return;
    std::string_view text = "0";
    for (WireReader reader(wire_.bytes); !reader.done();) {
      const auto part = reader.Next();
      if (!part) {
        problem_.text = part.error();
        return;
      }
      if (part->number == 1 && !part->bytes.empty()) text = part->bytes;
    }
    auto quantity = Quantity::Parse(text);
    if (quantity) {
      out = *std::move(quantity);
    } else {
      problem_.text = "invalid quantity: " + quantity.error().message;
    }
  }

  // A zero time is unset. Drops fractions, which the JSON form lacks too.
  void Read(std::optional<Instant>& out) {
    if (!IsBytes()) return;
    const auto seconds = DecodeSeconds(wire_.bytes);
    if (!seconds) {
      problem_.text = seconds.error();
    } else if (*seconds) {
      out = Instant::FromUnixSeconds(**seconds);
    }
  }

  template <typename T>
  void Read(std::optional<T>& out) {
    const bool is_zero = wire_.value == 0 && wire_.bytes.empty();
    if (is_zero && !field_.keep_zero && field_.shape == FieldDescriptor::Shape::kSingle) return;
    Read(out ? *out : out.emplace());
  }

  template <typename T>
  void Read(std::vector<T>& out) {
    Read(out.emplace_back());
  }

  // Reads one entry; the last of equal keys wins.
  template <typename T>
  void Read(std::map<std::string, T, std::less<>>& out) {
    if (!IsBytes()) return;
    std::string_view key;
    std::optional<WireField> value;
    for (WireReader reader(wire_.bytes); !reader.done();) {
      const auto part = reader.Next();
      if (!part) {
        problem_.text = part.error();
        return;
      }
      if (part->number == 1) key = part->bytes;
      if (part->number == 2) value = *part;
    }
    if (const auto text = CheckedText(key); !text) {
      problem_.text = text.error();
      return;
    }
    // Go writes maps sorted: the hint is nearly always right.
    T& entry = out.emplace_hint(out.end(), key, T())->second;
    entry = T();
    if (!value) return;
    MessageDecoder element(*value, field_, depth_ + 1);
    element.Read(entry);
    if (!element.problem_.empty()) problem_ = element.At(key);
  }

  template <typename T>
  void Read(T& out) {
    ReadMessage(out);
  }

  const WireField& wire_;
  const FieldDescriptor& field_;
  const int depth_;
  bool taken_ = false;
  Problem problem_;
};

}  // namespace berth::api::protobuf
