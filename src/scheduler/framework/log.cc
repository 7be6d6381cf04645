#include "scheduler/framework/log.h"

namespace berth::scheduler::framework {

[[gnu::cold]] void Log::Write(int level, std::source_location where, std::string_view text,
                              std::initializer_list<LogField> fields) const {
  sink_->Write({.level = level,
                .text = text,
                .fields = {fields.begin(), fields.size()},
                .logger = name_,
                .where = where});
}

[[gnu::cold]] void Log::WriteError(std::source_location where, std::string_view error,
                                   std::string_view text,
                                   std::initializer_list<LogField> fields) const {
  sink_->Write({.level = LogMessage::kError,
                .text = text,
                .error = error,
                .fields = {fields.begin(), fields.size()},
                .logger = name_,
                .where = where});
}

}  // namespace berth::scheduler::framework
