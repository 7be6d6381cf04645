#include "kinds/protobuf_values.h"

#include <simdjson.h>

#include <algorithm>
#include <boost/json.hpp>
#include <iterator>

#include "api/timestamp.h"
#include "base/go_duration.h"
#include "base/time.h"
#include "kinds/json_numbers.h"

namespace berth::apiserver {
namespace {

using Decoded = std::expected<std::optional<Json>, std::string>;
using enum ProtobufType;

// Seconds that an Instant can hold, roughly: the years 1685 to 2255.
constexpr int64_t kMaxSeconds = 9'000'000'000;

std::string Base64(std::string_view bytes) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t count = std::min<size_t>(3, bytes.size() - i);
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < count ? static_cast<uint8_t>(bytes[i + k]) : 0);
    }
    for (size_t k = 0; k < 4; ++k) {
      text += k <= count ? kDigits[group >> (18 - 6 * k) & 63] : '=';
    }
  }
  return text;
}

// The small messages that stand for one value have at most three fields: by number, what was sent.
struct SmallMessage {
  uint64_t numbers[4] = {};
  std::string_view texts[4];
};

std::expected<SmallMessage, std::string> ReadSmall(std::string_view bytes) {
  SmallMessage message;
  for (ProtobufReader reader(bytes); !reader.done();) {
    const auto field = reader.Next();
    if (!field) return std::unexpected(field.error());
    if (field->number >= std::size(message.numbers)) continue;
    message.numbers[field->number] = field->value;
    message.texts[field->number] = field->bytes;
  }
  return message;
}

Decoded Text(std::string_view bytes) {
  const auto text = CheckedText(bytes);
  if (!text) return std::unexpected(text.error());
  return Json(*text);
}

// Nothing if the message says that there is no time; else a complaint, empty if it is in range.
std::optional<std::string> CheckTime(int64_t seconds, int64_t nanos) {
  if (seconds == 0 && nanos == 0) return std::nullopt;
  if (seconds > kMaxSeconds || seconds < -kMaxSeconds || nanos < 0 || nanos >= 1'000'000'000) {
    return "a time of " + std::to_string(seconds) + " s and " + std::to_string(nanos) +
           " ns is out of range";
  }
  return "";
}

Decoded Time(const SmallMessage& message, bool micro) {
  const auto seconds = static_cast<int64_t>(message.numbers[1]);
  const auto nanos = static_cast<int64_t>(message.numbers[2]);
  const auto problem = CheckTime(seconds, nanos);
  if (!problem) return std::nullopt;
  if (!problem->empty()) return std::unexpected(*problem);
  std::string text = api::FormatTimestamp(Instant::FromUnixSeconds(seconds));
  if (micro) {
    const std::string fraction = std::to_string(1'000'000 + nanos / 1'000);
    text.replace(text.size() - 1, 1, "." + fraction.substr(1) + "Z");
  }
  return Json(text);
}

Decoded RawJson(std::string_view bytes) {
  if (bytes.empty()) return std::nullopt;
  boost::json::error_code error;
  Json value = boost::json::parse(bytes, error);
  if (error) return std::unexpected("it is not JSON: " + error.message());
  if (!HasFiniteNumbers(value)) return std::unexpected("a number in it is out of range");
  return value;
}

Decoded Strings(std::string_view bytes) {
  JsonArray list;
  for (ProtobufReader reader(bytes); !reader.done();) {
    const auto field = reader.Next();
    if (!field) return std::unexpected(field.error());
    if (field->number != 1) continue;
    auto text = Text(field->bytes);
    if (!text) return text;
    list.push_back(**std::move(text));
  }
  return list;
}

// Values that are messages in protobuf and one value in JSON.
Decoded FromMessage(std::string_view bytes, ProtobufType type) {
  if (type == kStrings) return Strings(bytes);
  const auto message = ReadSmall(bytes);
  if (!message) return std::unexpected(message.error());
  switch (type) {
    case kQuantity:
      return message->texts[1].empty() ? Decoded(Json("0")) : Text(message->texts[1]);
    case kTime:
      return Time(*message, false);
    case kMicroTime:
      return Time(*message, true);
    case kDuration:
      return Json(FormatGoDuration(Duration{static_cast<int64_t>(message->numbers[1])}));
    case kIntOrString:
      if (message->numbers[1] == 1) return Text(message->texts[3]);
      return Json(static_cast<int64_t>(static_cast<int32_t>(message->numbers[2])));
    default:
      return RawJson(message->texts[1]);
  }
}

}  // namespace

std::expected<std::string_view, std::string> CheckedText(std::string_view bytes) {
  if (!simdjson::validate_utf8(bytes.data(), bytes.size())) {
    return std::unexpected("a string is not UTF-8");
  }
  return bytes;
}

std::expected<std::optional<int64_t>, std::string> DecodeProtobufSeconds(std::string_view bytes) {
  const auto message = ReadSmall(bytes);
  if (!message) return std::unexpected(message.error());
  const auto seconds = static_cast<int64_t>(message->numbers[1]);
  const auto problem = CheckTime(seconds, static_cast<int64_t>(message->numbers[2]));
  if (!problem) return std::nullopt;
  if (!problem->empty()) return std::unexpected(*problem);
  return seconds;
}

Decoded DecodeProtobufValue(const WireField& field, ProtobufType type, bool keep_zero) {
  const WireType wanted = type == kInt || type == kBool ? WireType::kVarint : WireType::kBytes;
  if (field.type != wanted) {
    return std::unexpected("the value is " + std::string(NameOf(field.type)) + " instead of " +
                           std::string(NameOf(wanted)));
  }
  if (wanted == WireType::kVarint) {
    if (field.value == 0 && !keep_zero) return std::nullopt;
    return type == kBool ? Json(field.value != 0) : Json(static_cast<int64_t>(field.value));
  }
  if (type == kString || type == kBytes) {
    if (field.bytes.empty() && !keep_zero) return std::nullopt;
    return type == kString ? Text(field.bytes) : Decoded(Json(Base64(field.bytes)));
  }
  return FromMessage(field.bytes, type);
}

}  // namespace berth::apiserver
