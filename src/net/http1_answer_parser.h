// Http1AnswerParser reads one HTTP/1.1 answer and hands it over as it comes. 1xx answers, which
// only announce another, are passed over.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "net/client_session.h"

namespace berth::net {

class Http1AnswerParser {
 public:
  // `head_only`: to a HEAD request, which has no body whatever its headers say.
  Http1AnswerParser(AnswerSink& sink, bool head_only);
  ~Http1AnswerParser();

  // Takes the next bytes and returns how many it used. Those left are to come again, with more
  // behind them. Not when it has ended.
  size_t Put(std::string_view bytes);
  // Nothing follows; completes an answer that ends with the connection.
  void PutEnd();

  bool started() const;  // Some bytes have been used.
  bool done() const;
  bool failed() const;  // It is no answer, or the sink wants no more.
  bool ended() const { return done() || failed(); }
  const std::string& problem() const;  // Empty if it is the sink's.

  bool keep_alive() const;  // When it is done: the connection can carry another request.

 private:
  class Message;

  AnswerSink& sink_;
  const bool head_only_;
  bool started_ = false;
  std::unique_ptr<Message> message_;
};

}  // namespace berth::net
