// Single values of protobuf messages, as JSON has them.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "kinds/json.h"
#include "kinds/protobuf_reader.h"
#include "kinds/protobuf_schema.h"

namespace berth::apiserver {

// The value of `field`, whose type is not kMessage. Nothing if it is the type's zero (empty
// string, 0, false, no time) and `keep_zero` is not set; an unset time is nothing in any case.
std::expected<std::optional<Json>, std::string> DecodeProtobufValue(const WireField& field,
                                                                    ProtobufType type,
                                                                    bool keep_zero);

// The whole seconds of a Time message; nothing if it is unset.
std::expected<std::optional<int64_t>, std::string> DecodeProtobufSeconds(std::string_view bytes);

// Checks that a string is UTF-8 and returns it.
std::expected<std::string_view, std::string> CheckedText(std::string_view bytes);

}  // namespace berth::apiserver
