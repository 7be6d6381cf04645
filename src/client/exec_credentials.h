// ExecCredentials gets credentials from a plugin: it is run when there is none yet, when the last
// has expired and when the server has refused it.
//
// Any thread. The plugin runs on a thread of its own; those who ask meanwhile share its answer.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <thread>

#include "base/time.h"
#include "client/client_config.h"
#include "client/exec_plugin.h"
#include "client/exec_process.h"

namespace berth::client {

class ExecCredentials final : public Credentials {
 public:
  // Runs a command, as RunCommand does. Tests have others.
  using Runner = std::function<std::expected<ExecOutcome, ExecFailure>(const ExecRequest&, int)>;

  // `cluster` is told to plugins that want to know. `clock` must outlive the credentials.
  ExecCredentials(ExecPlugin plugin, ExecCluster cluster, const Clock& clock,
                  Runner runner = RunCommand);
  // Kills the plugin if it is running; those who wait get an error.
  ~ExecCredentials() override;
  ExecCredentials(const ExecCredentials&) = delete;
  ExecCredentials& operator=(const ExecCredentials&) = delete;

  void Get(Callback callback) override;
  void Refused(const Credential& credential) override;

 private:
  struct State;

  const std::shared_ptr<State> state_;
  std::thread thread_;
};

}  // namespace berth::client
