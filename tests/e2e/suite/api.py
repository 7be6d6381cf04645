"""A small client of the Kubernetes API over HTTP/1.1: requests, parallel writes and watches."""

import concurrent.futures
import http.client
import json
import socket
import threading
import time
import urllib.parse

MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"

PODS = "/api/v1/namespaces/{}/pods"
NODES = "/api/v1/nodes"
EVENTS = "/apis/events.k8s.io/v1/namespaces/{}/events"
LEASES = "/apis/coordination.k8s.io/v1/namespaces/{}/leases"


class ApiError(Exception):
    """A response whose status is not 2xx."""

    def __init__(self, method, path, status, body):
        self.status = status
        try:
            self.message = json.loads(body).get("message") or ""
        except (ValueError, AttributeError):
            self.message = body[:300].decode(errors="replace")
        super().__init__(f"{method} {path}: {status} {self.message}")


class _Connection(http.client.HTTPSConnection):
    """Uses another server name in TLS than the host that it connects to."""

    def __init__(self, config, context, timeout):
        super().__init__(config.host, config.port, context=context, timeout=timeout)
        self._tls = context
        self._name = config.name_in_certificate

    def connect(self):
        http.client.HTTPConnection.connect(self)
        self.sock = self._tls.wrap_socket(self.sock, server_hostname=self._name)


class Api:
    """A client that threads may share; each thread has its own connection."""

    def __init__(self, config, timeout=30):
        self.config = config
        self._timeout = timeout
        self._tls = config.ssl_context()
        self._local = threading.local()
        self._headers = {"Accept": "application/json", "User-Agent": "berth-e2e"}
        if config.token:
            self._headers["Authorization"] = "Bearer " + config.token

    def connect(self, timeout=None):
        timeout = timeout or self._timeout
        if self._tls:
            return _Connection(self.config, self._tls, timeout)
        return http.client.HTTPConnection(self.config.host, self.config.port, timeout=timeout)

    def raw(self, method, path, body=None, headers=None, patience=0.0):
        """Returns status and body. A broken connection is replaced for `patience` seconds; the
        server may then get the request twice. An idle connection is always replaced once."""
        deadline = time.monotonic() + patience
        fresh = False
        while True:
            connection = getattr(self._local, "connection", None)
            if connection is None:
                connection = self._local.connection = self.connect()
                fresh = True
            try:
                connection.request(
                    method, self.config.url.path + path, body, self._headers | (headers or {})
                )
                response = connection.getresponse()
                return response.status, response.read()
            except (OSError, http.client.HTTPException):
                connection.close()
                self._local.connection = None
                if fresh:
                    if time.monotonic() >= deadline:
                        raise
                    time.sleep(0.1)

    def call(self, method, path, body=None, content_type="application/json", patience=0.0, **query):
        if query:
            path += "?" + urllib.parse.urlencode(query)
        # Without spaces: a server compares the parameters of devices by their bytes.
        text = None if body is None else json.dumps(body, separators=(",", ":")).encode()
        headers = {} if body is None else {"Content-Type": content_type}
        status, content = self.raw(method, path, text, headers, patience)
        if status >= 300:
            raise ApiError(method, path, status, content)
        return json.loads(content)

    def get(self, path, **query):
        return self.call("GET", path, **query)

    def create(self, path, body, patience=0.0):
        """With patience, an object that exists counts as created by an earlier attempt."""
        try:
            return self.call("POST", path, body, patience=patience)
        except ApiError as error:
            if error.status == 409 and patience:
                return self.get(f"{path}/{body['metadata']['name']}")
            raise

    def patch(self, path, body, content_type=MERGE):
        return self.call("PATCH", path, body, content_type)

    def delete(self, path, body=None, **query):
        """Returns None if the object does not exist."""
        try:
            return self.call("DELETE", path, body, **query)
        except ApiError as error:
            if error.status != 404:
                raise
        return None

    def delete_now(self, path):
        """Deletes without a grace period, as a kubelet does in the end."""
        return self.delete(path, {"gracePeriodSeconds": 0})

    def items(self, path, **query):
        return self.get(path, **query).get("items") or []

    def each(self, function, items, threads=8):
        """Calls `function` with each item on several connections; returns the results in order."""
        with concurrent.futures.ThreadPoolExecutor(threads) as pool:
            return list(pool.map(function, items))

    def create_all(self, path, bodies, threads=8, patience=0.0):
        return self.each(lambda body: self.create(path, body, patience), bodies, threads)

    def has_authorization(self):
        """Whether the server rejects a user without permissions."""
        review = self.create(
            "/apis/authorization.k8s.io/v1/subjectaccessreviews",
            {
                "apiVersion": "authorization.k8s.io/v1",
                "kind": "SubjectAccessReview",
                "spec": {
                    "user": "berth-e2e-nobody",
                    "resourceAttributes": {"verb": "list", "resource": "secrets"},
                },
            },
        )
        return not review["status"].get("allowed")


class Watch:
    """One watch request. Iterating yields (type, object) until the server or close() ends it."""

    def __init__(self, api, path, resource_version, **query):
        self._closed = False
        self._connection = api.connect(timeout=3600)
        query |= {"watch": "true", "resourceVersion": resource_version}
        query |= {"allowWatchBookmarks": "true"}
        path = api.config.url.path + path + "?" + urllib.parse.urlencode(query)
        self._connection.request("GET", path, headers=api._headers)
        self._socket = self._connection.sock
        self._response = self._connection.getresponse()
        if self._response.status != 200:
            raise ApiError("GET", path, self._response.status, self._response.read())

    def __iter__(self):
        rest = b""
        try:
            while not self._closed:
                data = self._response.read1(1 << 18)
                if not data:
                    return
                *lines, rest = (rest + data).split(b"\n")
                for line in lines:
                    if line:
                        event = json.loads(line)
                        yield event["type"], event["object"]
        except (OSError, ValueError, http.client.HTTPException, AttributeError):
            return  # Cut, by the server or by close().
        finally:
            self._connection.close()

    def close(self):
        self._closed = True
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
