// EngineLog writes the engine's messages to the log of the process.
#pragma once

#include "observability/log.h"
#include "scheduler/framework/log.h"

namespace berth::observability::scheduling {

class EngineLog final : public scheduler::framework::LogSink {
 public:
  // `logger` must outlive this.
  explicit EngineLog(Logger& logger) : LogSink(logger.highest_level()), logger_(logger) {}

  void Write(const scheduler::framework::LogMessage& message) override;

 private:
  Logger& logger_;
};

}  // namespace berth::observability::scheduling
