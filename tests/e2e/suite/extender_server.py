"""A scheduler extender as a test needs it: fast, slow, or broken."""

import http.server
import json
import threading
import time


class Extender:
    """Answers each verb by the function of that name: request in, (status, answer) out."""

    def __init__(self, **verbs):
        self.verbs = verbs
        self.requests = []  # (verb, request)
        extender = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def log_message(self, *_):
                pass

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                verb = self.path.rsplit("/", 1)[1]
                request = json.loads(body)
                extender.requests.append((verb, request))
                status, answer = extender.verbs[verb](request)
                text = json.dumps(answer).encode()
                try:
                    self.send_response(status)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(text)))
                    self.end_headers()
                    self.wfile.write(text)
                except OSError:
                    self.close_connection = True  # The scheduler did not wait.

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/extender"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def asked(self, verb):
        return [request for name, request in list(self.requests) if name == verb]

    def close(self):
        self._server.shutdown()
        self._server.server_close()


def keep(suits):
    """A filter over node names; the others fail with a text."""

    def answer(request):
        names = request["NodeNames"]
        failed = {name: "e2e says no" for name in names if not suits(name)}
        return 200, {"NodeNames": [name for name in names if suits(name)], "FailedNodes": failed}

    return answer


def later(seconds, answer):
    """The same answer, but only after a while."""

    def slow(request):
        time.sleep(seconds)
        return answer(request)

    return slow


def broken(_):
    return 500, {"Error": "out of order"}
