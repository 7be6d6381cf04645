#include "observability/scheduling/engine_log.h"

#include <vector>

namespace berth::observability::scheduling {

void EngineLog::Write(const scheduler::framework::LogMessage& message) {
  constexpr int kLevelOfNames = 4;
  const char* const file = message.where.file_name();
  const bool failed = message.level == scheduler::framework::LogMessage::kError;
  if (!failed && !logger_.IsOn(message.level, file)) return;
  std::vector<LogField> fields;
  if (!message.logger.empty() && logger_.IsOn(kLevelOfNames, file))
    fields.push_back({"logger", message.logger});
  fields.insert(fields.end(), message.fields.begin(), message.fields.end());
  logger_.Write({.severity = failed ? LogSeverity::kError : LogSeverity::kInfo,
                 .level = failed ? 0 : message.level,
                 .where = message.where,
                 .message = message.text,
                 .error = message.error,
                 .fields = fields});
}

}  // namespace berth::observability::scheduling
