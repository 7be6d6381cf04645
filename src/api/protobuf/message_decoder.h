// MessageDecoder is the visitor of api/json/fields.h that reads protobuf: it holds one field of a
// message and stores it in the struct's field of the same JSON name.
//
// Zeros count as unset by the same rules as in the conversion to JSON (schema_tables.h).
//
// A tolerant decoder leaves out values that are wrong, notes them in UndecodableFields, and goes
// on. Of values that are left out, entries of lists and maps vanish, and fields keep their default.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/json/fields.h"
#include "api/json/json_text.h"
#include "api/json/parse.h"
#include "api/meta.h"
#include "api/protobuf/descriptors.h"
#include "api/protobuf/to_json.h"
#include "api/protobuf/wire_reader.h"
#include "api/quantity.h"
#include "api/timestamp.h"
#include "api/undecodable_fields.h"
#include "base/text.h"
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

  // Reads an object. The decoder is tolerant if `undecodable` is not null.
  template <typename T>
  static Problem Decode(std::string_view bytes, const MessageDescriptor& message,
                        UndecodableFields* undecodable, T& out) {
    static const FieldDescriptor kNoField;
    const WireField none;
    MessageDecoder object(none, kNoField, nullptr, undecodable);
    object.ReadStruct(bytes, message, out);
    return std::move(object.problem_);
  }

  template <typename T>
  [[gnu::always_inline]] void operator()(std::string_view name, T& field) {
    if (Take(name)) Read(field);
  }

  template <typename T>
  [[gnu::always_inline]] void Required(std::string_view name, T& field) {
    (*this)(name, field);
  }

  template <typename FieldsOfGroup>
  void Group(std::string_view name, FieldsOfGroup fields) {
    if (!Take(name)) return;
    ForEachPart([&](const WireField& wire, const FieldDescriptor& part) {
      MessageDecoder value(wire, part, this, undecodable_);
      fields(value);
      Failed(value);
    });
  }

  template <typename T>
  void Wrapped(std::string_view name, std::string_view inner, std::optional<T>& field) {
    if (!Take(name) || !IsBytes()) return;
    if (!field) field.emplace();
    ForEachPart([&](const WireField& wire, const FieldDescriptor& part) {
      if (part.name == inner) ReadNested(wire, part, part.name, *field);
    });
  }

  void Names(std::string_view name, std::string_view inner, std::vector<std::string>& names) {
    if (!Take(name)) return;
    std::string& entry = names.emplace_back();
    ForEachPart([&](const WireField& wire, const FieldDescriptor& part) {
      if (part.name == inner) ReadNested(wire, part, part.name, entry);
    });
  }

  void Choice(std::string_view name, std::string& field) { (*this)(name, field); }

  template <typename Variant, typename T>
  void Alternative(std::string_view name, Variant& variant, As<T>) {
    if (!Take(name)) return;
    // Protobuf merges a message that occurs several times.
    if (!std::holds_alternative<T>(variant)) variant.template emplace<T>();
    if (!ReadMessage(std::get<T>(variant))) variant = {};
  }

 private:
  MessageDecoder(const WireField& wire, const FieldDescriptor& field, const MessageDecoder* parent,
                 UndecodableFields* undecodable)
      : wire_(wire),
        field_(field),
        name_(field.name),
        parent_(parent),
        undecodable_(undecodable),
        depth_(parent == nullptr ? 0 : parent->depth_ + 1) {}

  [[gnu::always_inline]] bool Take(std::string_view name) {
    if (taken_ || name != field_.name) return false;
    return taken_ = true;
  }

  // The path of the value, from the object on.
  std::string Path() const {
    std::string path = parent_ == nullptr ? std::string() : parent_->Path();
    if (!path.empty() && !name_.empty()) path += '.';
    return path + Shorten(name_);
  }

  // The value is wrong: a tolerant decoder leaves it out, another one fails. Returns false.
  bool Reject(std::string problem) {
    if (undecodable_ != nullptr) {
      undecodable_->AddOmitted(Path(), std::move(problem));
    } else if (problem_.empty()) {
      problem_ = {Path(), std::move(problem)};
    }
    return false;
  }
  // The value is wrong, but something is near to it. Returns whether that is to be taken.
  bool Adjust(std::string problem) {
    if (undecodable_ == nullptr) return Reject(std::move(problem));
    undecodable_->AddAdjusted(Path(), std::move(problem));
    return true;
  }

  bool IsBytes() {
    if (wire_.type == WireType::kBytes) return true;
    return Reject("the value is " + std::string(NameOf(wire_.type)));
  }

  // Reads a message into the fields of `out`. Of one that breaks off, what comes before is read.
  template <typename T>
  void ReadStruct(std::string_view bytes, const MessageDescriptor& message, T& out) {
    constexpr int kMaxDepth = 64;
    if (depth_ > kMaxDepth) {
      Reject("messages are nested too deeply");
      return;
    }
    for (WireReader reader(bytes); !reader.done();) {
      const auto wire = reader.Next();
      if (!wire) {
        Reject(wire.error());
        break;
      }
      const FieldDescriptor* field = message.Find(wire->number);
      if (field == nullptr) continue;
      MessageDecoder value(*wire, *field, this, undecodable_);
      if (!field->name.empty()) {
        Fields(value, out);
      } else if (value.IsBytes()) {
        // The message is embedded: its fields are those of the struct.
        value.ReadStruct(wire->bytes, *field->message, out);
      }
      if (Failed(value)) return;
    }
    if constexpr (requires { ApplyDefaults(out); }) ApplyDefaults(out);
  }

  // Takes over the problem of a part, if any.
  bool Failed(MessageDecoder& part) {
    if (part.problem_.empty()) return false;
    problem_ = std::move(part.problem_);
    return true;
  }

  template <typename Use>
  void ForEachPart(const Use& use) {
    if (!IsBytes()) return;
    for (WireReader reader(wire_.bytes); !reader.done() && problem_.empty();) {
      const auto wire = reader.Next();
      if (!wire) {
        Reject(wire.error());
        return;
      }
      const FieldDescriptor* part =
          field_.message != nullptr ? field_.message->Find(wire->number) : nullptr;
      if (part != nullptr) use(*wire, *part);
    }
  }

  template <typename T>
  bool ReadNested(const WireField& wire, const FieldDescriptor& field, std::string_view name,
                  T& out) {
    MessageDecoder value(wire, field, this, undecodable_);
    value.name_ = name;
    const bool readable = value.Read(out);
    return !Failed(value) && readable;
  }

  template <typename T>
  bool ReadMessage(T& out) {
    if (!IsBytes()) return false;
    if (field_.message == nullptr) return Reject("it is not a message");
    ReadStruct(wire_.bytes, *field_.message, out);
    return problem_.empty();
  }

  // The overloads of Read differ by the type of the struct's field. They return false if the value
  // is to be left out.

  bool Read(std::string& out) {
    if (!IsBytes()) return false;
    if (IsUtf8(wire_.bytes)) [[likely]] {
      out = wire_.bytes;
      return true;
    }
    if (!Adjust(kNotUtf8)) return false;
    out = ReplaceInvalidUtf8(wire_.bytes);
    return true;
  }

  std::optional<int64_t> Number() {
    if (wire_.type == WireType::kVarint) return static_cast<int64_t>(wire_.value);
    Reject("the value is " + std::string(NameOf(wire_.type)));
    return std::nullopt;
  }
  bool Read(bool& out) {
    const auto number = Number();
    if (number) out = *number != 0;
    return number.has_value();
  }
  bool Read(int64_t& out) {
    const auto number = Number();
    if (number) out = *number;
    return number.has_value();
  }
  bool Read(int32_t& out) {
    using Limits = std::numeric_limits<int32_t>;
    const auto number = Number();
    if (!number) return false;
    const int64_t nearest = std::clamp<int64_t>(*number, Limits::min(), Limits::max());
    if (nearest != *number && !Adjust(fmt::format("{} does not fit in 32 bits", *number)))
      return false;
    out = static_cast<int32_t>(nearest);
    return true;
  }

  bool Read(Quantity& out) {
    if (!IsBytes()) return false;
    std::string_view text = "0";
    for (WireReader reader(wire_.bytes); !reader.done();) {
      const auto part = reader.Next();
      if (!part) return Reject(part.error());
      if (part->number == 1 && !part->bytes.empty()) text = part->bytes;
    }
    auto quantity = Quantity::Parse(text);
    if (!quantity) return Reject("invalid quantity: " + quantity.error().message);
    out = *std::move(quantity);
    return true;
  }

  // Any JSON, in a message of its own.
  bool Read(RawJson& out) {
    if (!IsBytes()) return false;
    std::string_view text;
    for (WireReader reader(wire_.bytes); !reader.done();) {
      const auto part = reader.Next();
      if (!part) return Reject(part.error());
      if (part->number == 1) text = part->bytes;
    }
    if (text.empty() || text == "null") return true;
    const auto parsed = ParseJson(text);
    if (!parsed) return Reject("invalid JSON: " + parsed.error().message);
    out.json = std::make_shared<const std::string>(CompactJson(text));
    return true;
  }

  // A zero time is unset. Drops fractions, which the JSON form lacks too. One that cannot be read
  // is set nonetheless: an object with a deletion time is being deleted.
  bool Read(std::optional<Instant>& out) {
    if (!IsBytes()) return false;
    const auto seconds = DecodeSeconds(wire_.bytes);
    if (!seconds) {
      out.emplace();
      return Reject(seconds.error());
    }
    if (*seconds) out = ClampToTimestamp(Instant::FromUnixSeconds(**seconds));
    return true;
  }

  template <typename T>
  bool Read(std::optional<T>& out) {
    const bool is_zero = wire_.value == 0 && wire_.bytes.empty();
    if (is_zero && !field_.keep_zero && field_.shape == FieldDescriptor::Shape::kSingle)
      return true;
    const bool readable = Read(out ? *out : out.emplace());
    if (!readable) out.reset();
    return readable;
  }

  // A list is there as soon as it has an element.
  template <typename T>
  bool Read(std::optional<std::vector<T>>& out) {
    return Read(out ? *out : out.emplace());
  }

  bool Read(std::vector<bool>& out) {
    bool entry = false;
    const bool readable = Read(entry);
    if (readable) out.push_back(entry);
    return readable;
  }

  template <typename T>
  bool Read(std::vector<T>& out) {
    const bool readable = Read(out.emplace_back());
    if (!readable) out.pop_back();
    return readable;
  }

  // Reads one entry; the last of equal keys wins.
  template <typename T>
  bool Read(std::map<std::string, T, std::less<>>& out) {
    if (!IsBytes()) return false;
    std::string_view key;
    std::optional<WireField> value;
    for (WireReader reader(wire_.bytes); !reader.done();) {
      const auto part = reader.Next();
      if (!part) return Reject(part.error());
      if (part->number == 1) key = part->bytes;
      if (part->number == 2) value = *part;
    }
    std::string replaced;
    if (!IsUtf8(key)) {
      if (!Adjust(kNotUtf8)) return false;
      key = replaced = ReplaceInvalidUtf8(key);
    }
    // Go writes maps sorted: the hint is nearly always right.
    const auto entry = out.emplace_hint(out.end(), key, T());
    entry->second = T();
    if (!value || ReadNested(*value, field_, key, entry->second)) return true;
    out.erase(entry);
    return false;
  }

  template <typename T>
  bool Read(T& out) {
    return ReadMessage(out);
  }

  static constexpr const char* kNotUtf8 = "a string is not UTF-8";

  const WireField& wire_;
  const FieldDescriptor& field_;
  std::string_view name_;
  const MessageDecoder* const parent_;
  UndecodableFields* const undecodable_;  // Of a tolerant decoder.
  const int depth_;
  bool taken_ = false;
  Problem problem_;
};

}  // namespace berth::api::protobuf
