"""Extender: a scheduler extender for tests, with responses that may be late or errors."""

import http.server
import json
import threading


class Extender:
    """Calls the function of the verb's name for each request; it returns (status, response)."""

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
                status, response = extender.verbs[verb](request)
                text = json.dumps(response).encode()
                try:
                    self.send_response(status)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(text)))
                    self.end_headers()
                    self.wfile.write(text)
                except OSError:
                    self.close_connection = True  # The scheduler has given up.

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass

        self._server = Server(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/extender"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def received(self, verb):
        """Returns the requests for `verb`, oldest first."""
        return [request for name, request in list(self.requests) if name == verb]

    def close(self):
        self._server.shutdown()
        self._server.server_close()


def keep(suits):
    """A filter by node name; the other nodes fail with a message."""

    def respond(request):
        names = request["NodeNames"]
        failed = {name: "e2e says no" for name in names if not suits(name)}
        return 200, {"NodeNames": [name for name in names if suits(name)], "FailedNodes": failed}

    return respond


def held(released, respond):
    """The same response, but not before the event `released` is set."""

    def wait(request):
        released.wait()
        return respond(request)

    return wait


def broken(_):
    return 500, {"Error": "out of order"}
