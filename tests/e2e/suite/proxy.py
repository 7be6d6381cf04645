"""Proxies between scheduler and API server that break connections and reject requests."""

import collections
import dataclasses
import http.client
import http.server
import json
import socket
import threading
import time
import urllib.parse


class TcpProxy:
    """Forwards connections to `target`. Before up() it refuses them."""

    def __init__(self, target):
        self._target = target
        self._lock = threading.Lock()
        self._pairs = set()
        self._reserve()
        self.port = self._listener.getsockname()[1]
        self.connections = []  # The monotonic time of each.

    def _reserve(self, port=0):
        # Bound but not listening: the port is ours, and connecting to it is refused.
        self._listener = socket.socket()
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind(("127.0.0.1", port))

    def up(self):
        self._listener.listen(128)
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()
        return self

    def down(self):
        """Closes all connections and refuses new ones until up()."""
        try:
            self._listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._listener.close()
        self.cut()
        self._reserve(self.port)

    def cut(self):
        """Closes all connections; returns their number."""
        with self._lock:
            pairs, self._pairs = self._pairs, set()
        for pair in pairs:
            for end in pair:
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass
                end.close()
        return len(pairs)

    def close(self):
        self._listener.close()
        self.cut()

    def _accept(self, listener):
        while True:
            try:
                near, _ = listener.accept()
            except OSError:
                return
            self.connections.append(time.monotonic())
            threading.Thread(target=self._serve, args=(near,), daemon=True).start()

    def _serve(self, near):
        try:
            far = socket.create_connection(self._target, timeout=5)
        except OSError:
            near.close()
            return
        far.settimeout(None)
        for end in (near, far):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self._lock:
            self._pairs.add((near, far))
        back = threading.Thread(target=self._pump, args=(far, near), daemon=True)
        back.start()
        self._pump(near, far)
        back.join()
        with self._lock:
            self._pairs.discard((near, far))
        near.close()
        far.close()

    @staticmethod
    def _pump(source, sink):
        try:
            while data := source.recv(1 << 16):
                sink.sendall(data)
        except OSError:
            pass
        for end in (source, sink):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


@dataclasses.dataclass
class Request:
    at: float  # Monotonic time.
    method: str
    path: str
    query: dict
    headers: object
    body: bytes
    refused: int | None


class Gatekeeper:
    """An HTTP/1.1 server before the API server. It calls `refuses(method, path)` for each request,
    which returns a status code, or None to forward the request as the administrator."""

    REASONS = {401: "Unauthorized", 403: "Forbidden", 503: "ServiceUnavailable"}

    def __init__(self, api, refuses):
        self.refuses = refuses
        self.requests = []
        gate = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def log_message(self, *_):
                pass

            def handle_request(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                path, _, query = self.path.partition("?")
                code = gate.refuses(self.command, path)
                query = dict(urllib.parse.parse_qsl(query))
                gate.requests.append(
                    Request(time.monotonic(), self.command, path, query, self.headers, body, code)
                )
                if code:
                    self.refuse(code, path)
                else:
                    self.forward(body)

            def refuse(self, code, path):
                reason = gate.REASONS[code]
                message = reason
                if code == 403:
                    message = f'{path} is forbidden: User "e2e" cannot {self.command.lower()} it'
                status = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "code": code}
                status |= {"status": "Failure", "message": message, "reason": reason}
                text = json.dumps(status).encode()
                self.send_response(code)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def forward(self, body):
                names = ("Accept", "Content-Type", "User-Agent")
                headers = {name: self.headers[name] for name in names if self.headers[name]}
                if api.config.token:
                    headers["Authorization"] = "Bearer " + api.config.token
                connection = api.connect(timeout=600)
                try:
                    connection.request(self.command, self.path, body or None, headers)
                    response = connection.getresponse()
                    self.send_response(response.status)
                    self.send_header("Content-Type", response.getheader("Content-Type") or "")
                    self.send_header("Transfer-Encoding", "chunked")
                    self.end_headers()
                    while data := response.read1(1 << 16):
                        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
                    self.wfile.write(b"0\r\n\r\n")
                except (OSError, http.client.HTTPException):
                    self.close_connection = True
                finally:
                    connection.close()

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_request

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, *_):
                pass  # A scheduler that ends breaks its connections.

        self._server = Server(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def busiest_second(self):
        """Returns the highest number of requests in one second of the clock."""
        counts = collections.Counter(int(request.at) for request in list(self.requests))
        return max(counts.values(), default=0)

    def close(self):
        self._server.shutdown()
        self._server.server_close()
