"""Mirror: the objects of a collection as a watch reports them, on a thread."""

import http.client
import threading
import time

from .api import ApiError, Watch


def key_of(item):
    return item["metadata"].get("namespace", ""), item["metadata"]["name"]


class Mirror:
    """Lists and watches until close(); lists again when the watch has expired. `on_change` is
    called with the type of each event and the object, on the thread of the watch."""

    def __init__(self, api, path, on_change=None):
        self._api, self._path = api, path
        self._on_change = on_change or (lambda kind, item: None)
        self._changed = threading.Condition()
        self._items = {}
        self._closed, self._watch = False, None
        self.changed_at = time.monotonic()
        self._version = self._list()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _list(self):
        response = self._api.get(self._path)
        items = {key_of(item): item for item in response.get("items") or []}
        for key in set(self._items) - set(items):
            self._see("DELETED", self._items[key])
        for item in items.values():
            self._see("MODIFIED", item)
        return response["metadata"]["resourceVersion"]

    def _see(self, kind, item):
        with self._changed:
            if kind == "DELETED":
                self._items.pop(key_of(item), None)
            else:
                self._items[key_of(item)] = item
            self.changed_at = time.monotonic()
            self._changed.notify_all()
        self._on_change(kind, item)

    def _run(self):
        while not self._closed:
            try:
                self._watch = Watch(self._api, self._path, self._version)
                for kind, item in self._watch:
                    if kind == "ERROR":
                        raise ApiError("WATCH", self._path, item.get("code", 410), b"{}")
                    self._version = item["metadata"]["resourceVersion"]
                    if kind != "BOOKMARK":
                        self._see(kind, item)
            except (OSError, http.client.HTTPException):
                time.sleep(0.1)
            except ApiError as error:
                time.sleep(0.1)
                if error.status == 410:
                    self._version = self._list()

    def close(self):
        self._closed = True
        if self._watch:
            self._watch.close()

    def items(self):
        """Returns the objects, sorted by namespace and name."""
        with self._changed:
            return [self._items[key] for key in sorted(self._items)]

    def get(self, key):
        with self._changed:
            return self._items.get(key)

    def wait(self, done, timeout):
        """Whether `done()` became true in time; asked after every event."""
        deadline = time.monotonic() + timeout
        with self._changed:
            while not done():
                left = deadline - time.monotonic()
                if left <= 0:
                    return False
                self._changed.wait(left)
        return True
