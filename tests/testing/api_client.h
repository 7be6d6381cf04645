// ApiClient sends requests to an API server on this machine, one after another on one connection.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "testing/raw_client.h"

namespace berth {

struct ApiResponse {
  int status = 0;
  std::string head;
  std::string body;

  // Returns the value of a header, whose case must be the server's; empty if there is none.
  std::string header(std::string_view name) const {
    const std::string key = "\r\n" + std::string(name) + ": ";
    const size_t at = head.find(key);
    if (at == std::string::npos) return "";
    const size_t begin = at + key.size();
    return head.substr(begin, head.find("\r\n", begin) - begin);
  }
};

class ApiClient {
 public:
  explicit ApiClient(uint16_t port) : port_(port) {}

  // `headers` are whole lines: "Accept: text/html\r\n".
  ApiResponse Ask(std::string_view method, std::string_view target, std::string_view body = "",
                  std::string_view headers = "") {
    std::string request(method);
    request.append(" ").append(target).append(" HTTP/1.1\r\nHost: localhost\r\n").append(headers);
    if (!body.empty() && headers.find("Content-Type") == headers.npos) {
      request += "Content-Type: application/json\r\n";
    }
    request += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
    request += body;
    return Exchange(request, method == "HEAD");
  }
  ApiResponse Get(std::string_view target, std::string_view headers = "") {
    return Ask("GET", target, "", headers);
  }

  // Sends the bytes of `request` and reads the response.
  ApiResponse Exchange(std::string_view request, bool head_only = false) {
    if (!client_) client_ = std::make_unique<RawClient>(port_);
    client_->Send(request);
    ApiResponse response;
    response.head = client_->ReadUntil("\r\n\r\n");
    if (response.head.size() > 12) response.status = std::stoi(response.head.substr(9, 3));
    const std::string length = response.header("Content-Length");
    if (!head_only && !length.empty()) response.body = client_->Read(std::stoul(length));
    if (response.header("Connection") == "close") client_.reset();
    return response;
  }

 private:
  uint16_t port_;
  std::unique_ptr<RawClient> client_;
};

}  // namespace berth
