#include "cmd/served_api_options.h"

#include <CLI/CLI.hpp>

namespace berth {

void AddServedApiOptions(CLI::App& command, ServedApiOptions& options) {
  command.add_option("--address", options.address, "The address to listen on")
      ->type_name("ADDRESS")
      ->capture_default_str();
  command.add_option("--port", options.port, "The port to listen on; 0 for any free one")
      ->type_name("N")
      ->capture_default_str();
  command
      .add_option("--data-dir", options.data_dir,
                  "Keep everything in this directory, safe from crashes (default: in memory, "
                  "forgotten at the end)")
      ->type_name("DIR");
  command.add_option("--kubeconfig", options.kubeconfig, "Write a kubeconfig file for this server")
      ->type_name("FILE");
  command.add_flag("--tls", options.tls,
                   "Serve HTTPS, with a certificate made at every start if none is given");
  command
      .add_option("--tls-cert-file", options.tls_cert_file,
                  "Serve HTTPS with this certificate (PEM, with those between it and its "
                  "authority)")
      ->type_name("FILE");
  command
      .add_option("--tls-private-key-file", options.tls_private_key_file, "Its private key (PEM)")
      ->type_name("FILE");
  command
      .add_option("--client-ca-file", options.client_ca_file,
                  "Let clients in that show a certificate of one of these authorities (PEM)")
      ->type_name("FILE");
  command
      .add_option("--token-auth-file", options.token_auth_file,
                  "Let clients in that show one of these tokens; lines of "
                  "token,user,uid,\"group1,group2\"")
      ->type_name("FILE");
  command.add_flag("--insecure-allow-anonymous", options.allow_anonymous,
                   "Let everybody in who can reach the address, and do everything");
  command.add_option("--threads", options.threads, "How many threads serve requests")
      ->type_name("N")
      ->check(CLI::Range(1, 256).description(""))
      ->capture_default_str();
  command
      .add_option("--history", options.history,
                  "How many changes of each kind of object are kept for watches that resume")
      ->type_name("N")
      ->check(CLI::Range(1, 100'000'000).description(""))
      ->capture_default_str();
}

}  // namespace berth
