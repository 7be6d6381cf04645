// Replies: answers of the API server on their way to the client.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "apiserver/object_form.h"
#include "kinds/api_error.h"
#include "net/http_server.h"
#include "store/object.h"

namespace berth::apiserver {

// An answer, and the version that must be visible before it may be told.
struct Reply {
  net::ServerAnswer answer;
  store::Version version = 0;
};

// Headers that every JSON answer has.
net::ServerAnswer JsonHead(int status);
net::ServerAnswer JsonAnswer(int status, std::string body);
// The Status object of a failed request. One that is not authenticated loses its connection.
net::ServerAnswer ErrorAnswer(const ApiError& error);

Reply ObjectReply(int status, const ObjectForm& form, const store::ObjectPtr& object);
// `{"kind":"Status",...,"status":"Success","code":201}`, as for bindings and evictions.
Reply CreatedReply(store::Version version);
// The Success of a delete that left nothing behind.
Reply DeletedReply(const Kind& kind, const store::Object& object);

// Adds a Warning header for each, as kubectl prints them.
void AddWarnings(const std::vector<std::string>& warnings, net::ServerAnswer& answer);

}  // namespace berth::apiserver
