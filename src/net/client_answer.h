// ClientAnswer is where the answer to a request goes: into one HttpResponse, or on as it comes.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "net/client_session.h"
#include "net/http_client.h"

namespace berth::net {

class ClientAnswer : public AnswerSink {
 public:
  virtual ~ClientAnswer() = default;
  // Once, last: calls the caller back. Puts the name of the request before errors.
  virtual void End(HttpResult<void> result) = 0;
};

struct WholeAnswerOptions {
  std::string name;  // Of the request: "GET https://h:443/x".
  size_t max_body_bytes = 0;
  bool gzip = false;  // Unpacks what the server has packed.
};

std::unique_ptr<ClientAnswer> MakeWholeAnswer(WholeAnswerOptions options,
                                              HttpClient::Callback callback);
std::unique_ptr<ClientAnswer> MakeStreamedAnswer(std::string name, ResponseStream stream);

}  // namespace berth::net
