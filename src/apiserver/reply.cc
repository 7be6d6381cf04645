#include "apiserver/reply.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/json_writer.h"

namespace berth::apiserver {
namespace {

// More than this in total would trouble clients that limit their headers.
constexpr size_t kMaxWarningBytes = 4096;

// In quotes, fit for a header.
std::string QuotedForHeader(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c >= 0 && c < ' ' ? ' ' : c;
  }
  return out + "\"";
}

}  // namespace

net::ServerAnswer JsonHead(int status) {
  net::ServerAnswer answer;
  answer.status = status;
  answer.headers = {{"Content-Type", "application/json"}, {"Cache-Control", "no-cache, private"}};
  return answer;
}

net::ServerAnswer JsonAnswer(int status, std::string body) {
  net::ServerAnswer answer = JsonHead(status);
  answer.body.push_back(Owned(std::move(body)));
  return answer;
}

net::ServerAnswer ErrorAnswer(const ApiError& error) {
  net::ServerAnswer answer = JsonAnswer(error.code, ToStatusJson(error));
  if (error.retry_after_seconds > 0) {
    answer.headers.push_back({"Retry-After", fmt::to_string(error.retry_after_seconds)});
  }
  if (error.code == 401) answer.headers.push_back({"Connection", "close"});
  return answer;
}

Reply ObjectReply(int status, const ObjectForm& form, const store::ObjectPtr& object) {
  Reply reply{JsonHead(status), object->version};
  form.Append(object, true, reply.answer.body);
  return reply;
}

Reply CreatedReply(store::Version version) {
  return {JsonAnswer(201, R"({"kind":"Status","apiVersion":"v1","metadata":{},)"
                          R"("status":"Success","code":201})"),
          version};
}

Reply DeletedReply(const Kind& kind, const store::Object& object) {
  api::JsonWriter json;
  const auto field = [&json](std::string_view key, std::string_view value) {
    json.Key(key);
    json.String(value);
  };
  json.BeginObject();
  field("kind", "Status");
  field("apiVersion", "v1");
  json.Key("metadata");
  json.BeginObject();
  json.EndObject();
  field("status", "Success");
  json.Key("details");
  json.BeginObject();
  field("name", object.key.name);
  if (!kind.group.empty()) field("group", kind.group);
  field("kind", kind.resource);
  field("uid", object.uid);
  json.EndObject();
  json.EndObject();
  return {JsonAnswer(200, json.Take()), object.version};
}

void AddWarnings(const std::vector<std::string>& warnings, net::ServerAnswer& answer) {
  size_t bytes = 0;
  for (const std::string& warning : warnings) {
    bytes += warning.size();
    if (bytes > kMaxWarningBytes) return;
    answer.headers.push_back({"Warning", "299 - " + QuotedForHeader(warning)});
  }
}

}  // namespace berth::apiserver
