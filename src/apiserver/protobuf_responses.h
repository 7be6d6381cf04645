// Responses in protobuf, for clients that accept no JSON. Objects are stored as JSON, so these cost
// a conversion of each object.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace berth::api::scheme {
struct Kind;
}

namespace berth::apiserver {

inline constexpr std::string_view kProtobufStream =
    "application/vnd.kubernetes.protobuf;stream=watch";

// Reports whether the objects of the kind have a protobuf form.
bool HasProtobuf(const api::scheme::Kind& kind);

// Returns the protobuf form of an object, a Status or a bookmark.
std::string ToProtobuf(std::string_view json);
// Returns a list of objects of `kind` with `metadata`, the JSON of a ListMeta.
std::string ListToProtobuf(const api::scheme::Kind& kind, std::string_view metadata,
                           const std::vector<std::string_view>& objects);
// Returns an event of a watch, prefixed by its length; `object` is in protobuf.
std::string EventToProtobuf(std::string_view type, std::string_view object);

}  // namespace berth::apiserver
