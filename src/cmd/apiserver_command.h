// `berth apiserver`: runs the embedded API server alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace berth {

struct ApiServerCommandOptions {
  std::string address = "127.0.0.1";
  uint16_t port = 6443;
  std::string data_dir;
  bool tls = false;  // With a certificate made on the spot, if none is given.
  std::string tls_cert_file;
  std::string tls_private_key_file;
  std::string client_ca_file;
  std::string token_auth_file;
  bool allow_anonymous = false;
  std::string kubeconfig;  // Written, if not empty.
  int threads = 2;
  size_t history = 50'000;
};

// Serves until SIGINT or SIGTERM comes. Returns the exit code of the program.
int RunApiServer(const ApiServerCommandOptions& options);

}  // namespace berth
