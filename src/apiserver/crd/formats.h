// The formats of strings and numbers in schemas that kube-apiserver validates; others are ignored.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/time.h"

namespace berth::apiserver::crd {

enum class SchemaType : uint8_t;

enum class Format : uint8_t {
  kNone,
  // Numbers.
  kInt32,
  kInt64,
  kFloat,
  kDouble,
  // Strings.
  kByte,
  kCidr,
  kCreditCard,
  kDate,
  kDateTime,
  kDuration,
  kEmail,
  kHexColor,
  kHostname,
  kIpv4,
  kIpv6,
  kIsbn,
  kIsbn10,
  kIsbn13,
  kMac,
  kBsonObjectId,
  kLongName,
  kPassword,
  kRgbColor,
  kShortName,
  kSsn,
  kUri,
  kUuid,
  kUuid3,
  kUuid4,
  kUuid5,
};

// Returns the format of a schema of this type, or kNone if it is unknown or of another type.
Format FindFormat(std::string_view name, SchemaType type);
// Returns the name as schemas have it: "date-time".
std::string_view NameOf(Format format);

// Reports whether `text` has a format of strings. Linear in its length.
bool HasFormat(std::string_view text, Format format);

// Parses the format "duration": a duration of Go, or numbers with the units of Scala: "2 hours".
std::optional<Duration> ParseFormattedDuration(std::string_view text);

}  // namespace berth::apiserver::crd
