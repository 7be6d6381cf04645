// What the engine hears and answers, as bytes and as text. All knowledge of how events, commands
// and decisions look in a recording is here: a new alternative of Event or ApiWrite does not
// compile until this file's .cc knows it.
//
// Events are read back, to be heard again. Answers are compared only, so they are texts: one line
// of JSON each, equal exactly if the answers are.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "engine/decision.h"
#include "engine/events.h"
#include "record/bytes.h"

namespace berth {

void EncodeEvent(const Event& event, ByteWriter& out);
// Gives what EncodeEvent was given, whatever the bytes; an error if they are none of its work.
Result<Event> DecodeEvent(ByteReader& in);

// For people: `put Pod "default/web"`.
std::string DescribeEvent(const Event& event);

std::string CommandText(const Command& command);
// Without the explanation, which decides nothing.
std::string DecisionText(const Decision& decision);

}  // namespace berth
