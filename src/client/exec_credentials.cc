#include "client/exec_credentials.h"

#include <fmt/format.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

#include "api/json_text.h"
#include "client/exec_protocol.h"
#include "client/header_value.h"

namespace berth::client {
namespace {

constexpr size_t kShownComplaint = 300;

std::string Explain(const ExecPlugin& plugin, const ExecFailure& failure) {
  std::string text = fmt::format("credential plugin \"{}\": {}", plugin.command, failure.message);
  if (failure.not_found && !plugin.install_hint.empty()) text += "\n" + plugin.install_hint;
  return text;
}

Result<ExecCredential> Judge(const ExecPlugin& plugin,
                             const std::expected<ExecOutcome, ExecFailure>& outcome) {
  if (!outcome) return Fail(Explain(plugin, outcome.error()));
  if (outcome->exit_code != 0) {
    std::string why = outcome->exit_code < 0
                          ? "a signal ended it"
                          : fmt::format("it ended with exit code {}", outcome->exit_code);
    const std::string_view complaint = Trimmed(outcome->complaint);
    if (!complaint.empty()) why += ": " + api::Shorten(complaint, kShownComplaint);
    return Fail(Explain(plugin, {.not_found = false, .message = std::move(why)}));
  }
  auto credential = ParseExecCredential(outcome->output, plugin.api_version);
  if (!credential) {
    return Fail(
        Explain(plugin, {.not_found = false, .message = std::move(credential.error().message)}));
  }
  return credential;
}

}  // namespace

struct ExecCredentials::State {
  ExecPlugin plugin;
  ExecRequest request;
  const Clock& clock;
  Runner runner;
  int cancel_fd = ::eventfd(0, EFD_CLOEXEC);

  std::mutex mutex;
  std::condition_variable wake;
  std::optional<ExecCredential> current;
  std::vector<Callback> waiting;
  bool stop = false;

  State(ExecPlugin the_plugin, const Clock& the_clock, Runner the_runner)
      : plugin(std::move(the_plugin)), clock(the_clock), runner(std::move(the_runner)) {}
  ~State() {
    if (cancel_fd >= 0) ::close(cancel_fd);
  }

  bool Fresh() const { return current && (!current->expires || clock.Now() < *current->expires); }

  void Stop() {
    const std::lock_guard lock(mutex);
    stop = true;
    if (cancel_fd >= 0) ::eventfd_write(cancel_fd, 1);
    wake.notify_all();
  }

  void Serve() {
    std::unique_lock lock(mutex);
    while (true) {
      wake.wait(lock, [&] { return stop || !waiting.empty(); });
      if (waiting.empty()) return;
      Result<ExecCredential> result = Fail("credential plugin: it was cancelled");
      if (!stop) {
        lock.unlock();
        result = Judge(plugin, runner(request, cancel_fd));
        lock.lock();
      }
      if (result) current = *result;
      const std::vector<Callback> callbacks = std::exchange(waiting, {});
      lock.unlock();
      for (const Callback& callback : callbacks) {
        if (result) {
          callback(result->credential);
        } else {
          callback(std::unexpected(result.error()));
        }
      }
      lock.lock();
    }
  }
};

ExecCredentials::ExecCredentials(ExecPlugin plugin, ExecCluster cluster, const Clock& clock,
                                 Runner runner)
    : state_(std::make_shared<State>(std::move(plugin), clock, std::move(runner))) {
  const ExecPlugin& given = state_->plugin;
  state_->request.command = given.command;
  state_->request.args = given.args;
  for (const auto& [name, value] : given.env) {
    state_->request.env.push_back(name + "=" + value);
  }
  state_->request.env.push_back("KUBERNETES_EXEC_INFO=" +
                                ExecInfo(given, given.provide_cluster_info ? &cluster : nullptr));
  thread_ = std::thread([state = state_] { state->Serve(); });
}

ExecCredentials::~ExecCredentials() {
  state_->Stop();
  // The last owner may be a callback that the thread itself calls.
  if (thread_.get_id() == std::this_thread::get_id()) {
    thread_.detach();
  } else {
    thread_.join();
  }
}

void ExecCredentials::Get(Callback callback) {
  std::unique_lock lock(state_->mutex);
  if (!state_->Fresh()) {
    state_->waiting.push_back(std::move(callback));
    state_->wake.notify_one();
    return;
  }
  Credential credential = state_->current->credential;
  lock.unlock();
  callback(std::move(credential));
}

void ExecCredentials::Refused(const Credential& credential) {
  const std::lock_guard lock(state_->mutex);
  if (state_->current && state_->current->credential == credential) state_->current.reset();
}

}  // namespace berth::client
