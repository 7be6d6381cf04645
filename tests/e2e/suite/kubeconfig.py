"""Kubeconfig files: reading those of users, writing those of schedulers."""

import base64
import dataclasses
import json
import os
import re
import ssl
import tempfile
import urllib.parse


class BadKubeconfig(Exception):
    pass


def _scalar(text):
    """Returns the value of a plain, quoted or flow-style YAML scalar."""
    text = text.strip()
    if text.startswith('"'):
        return json.loads(text)
    if text.startswith("'"):
        return text[1:-1].replace("''", "'")
    if text.startswith("{"):
        inner = text[1:-1].strip()
        pairs = (item.split(":", 1) for item in inner.split(",")) if inner else ()
        return {_scalar(key): _scalar(value) for key, value in pairs}
    if text.startswith("["):
        inner = text[1:-1].strip()
        return [_scalar(item) for item in inner.split(",")] if inner else []
    text = text.split(" #")[0].rstrip()
    if text in ("", "~", "null"):
        return None
    return {"true": True, "false": False}.get(text, text)


_KEY = re.compile(r"""("[^"]*"|'[^']*'|[^\s#'"\[{][^#]*?)\s*:(?:\s+(.*))?$""")


def _block(lines, at, indent):
    """Returns the mapping or list that starts at `lines[at]` with `indent`, and its end."""
    result = [] if lines[at][1].startswith("-") else {}
    while at < len(lines):
        depth, text = lines[at]
        if depth < indent or (isinstance(result, dict) and text.startswith("- ")):
            break
        if depth > indent:
            raise BadKubeconfig(f"unexpected indentation: {text[:40]!r}")
        if isinstance(result, list):
            if not text.startswith("-"):
                break
            rest = text[1:].lstrip()
            if _KEY.match(rest):
                deeper = depth + len(text) - len(rest)
                lines[at] = (deeper, rest)
                value, at = _block(lines, at, deeper)
            else:
                value, at = _scalar(rest), at + 1
            result.append(value)
            continue
        match = _KEY.match(text)
        if not match:
            raise BadKubeconfig(f"expected 'key: value', found {text[:40]!r}")
        key, value, at = _scalar(match[1]), match[2], at + 1
        if value:
            result[key] = _scalar(value)
        elif at < len(lines) and (
            lines[at][0] > indent or (lines[at][0] == indent and lines[at][1].startswith("- "))
        ):
            result[key], at = _block(lines, at, lines[at][0])
        else:
            result[key] = None
    return result, at


def parse_yaml(text):
    """Reads JSON, or the part of YAML that kubeconfig files use."""
    if text.lstrip().startswith("{"):
        return json.loads(text)
    lines = []
    for line in text.splitlines():
        stripped = line.strip()
        if stripped and not stripped.startswith("#") and stripped != "---":
            lines.append((len(line) - len(line.lstrip()), stripped))
    return _block(lines, 0, lines[0][0])[0] if lines else {}


def _named(items, name, kind):
    for item in items or []:
        if item.get("name") == name:
            return item.get(kind) or {}
    raise BadKubeconfig(f"there is no {kind} {name!r}")


def _bytes(holder, key, folder):
    """Returns the contents of `key`-data (base64) or of the file `key`; None without both."""
    if holder.get(key + "-data"):
        return base64.b64decode(holder[key + "-data"])
    if holder.get(key):
        with open(os.path.join(folder, holder[key]), "rb") as file:
            return file.read()
    return None


@dataclasses.dataclass(frozen=True)
class Kubeconfig:
    """One context of a kubeconfig, with the contents of the files that it names."""

    server: str
    ca: bytes | None = None
    insecure: bool = False
    tls_server_name: str | None = None
    client_certificate: bytes | None = None
    client_key: bytes | None = None
    token: str | None = None
    token_file: str | None = None

    @staticmethod
    def read(path):
        with open(path, encoding="utf-8") as file:
            config = parse_yaml(file.read())
        folder = os.path.dirname(os.path.abspath(path))
        context = _named(config.get("contexts"), config.get("current-context"), "context")
        cluster = _named(config.get("clusters"), context.get("cluster"), "cluster")
        user = _named(config.get("users"), context.get("user"), "user")
        if user.get("exec") or user.get("auth-provider"):
            raise BadKubeconfig("credential plugins are not supported: give a token or certificate")
        token = user.get("token")
        token_file = user.get("tokenFile")
        if token_file and not token:
            with open(os.path.join(folder, token_file), encoding="utf-8") as file:
                token = file.read().strip()
        return Kubeconfig(
            server=cluster["server"].rstrip("/"),
            ca=_bytes(cluster, "certificate-authority", folder),
            insecure=bool(cluster.get("insecure-skip-tls-verify")),
            tls_server_name=cluster.get("tls-server-name"),
            client_certificate=_bytes(user, "client-certificate", folder),
            client_key=_bytes(user, "client-key", folder),
            token=token,
        )

    def replace(self, **changes):
        return dataclasses.replace(self, **changes)

    def anonymous(self):
        return self.replace(client_certificate=None, client_key=None, token=None)

    @property
    def url(self):
        return urllib.parse.urlsplit(self.server)

    @property
    def host(self):
        return self.url.hostname

    @property
    def port(self):
        return self.url.port or (443 if self.url.scheme == "https" else 80)

    @property
    def name_in_certificate(self):
        return self.tls_server_name or self.host

    def at(self, host, port):
        """The same cluster and user, reached through another address."""
        name = self.name_in_certificate if self.url.scheme == "https" else None
        address = f"{self.url.scheme}://{host}:{port}{self.url.path}"
        return self.replace(server=address, tls_server_name=name)

    def ssl_context(self):
        """None for plain HTTP."""
        if self.url.scheme != "https":
            return None
        context = ssl.create_default_context(cadata=self.ca.decode() if self.ca else None)
        if self.insecure:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
        if self.client_certificate:
            with tempfile.NamedTemporaryFile() as certificate, tempfile.NamedTemporaryFile() as key:
                for file, text in (certificate, self.client_certificate), (key, self.client_key):
                    file.write(text)
                    file.flush()
                context.load_cert_chain(certificate.name, key.name)
        return context

    def write(self, path):
        """Writes a kubeconfig file that only its owner can read; returns its path."""

        def data(value):
            return base64.b64encode(value).decode()

        cluster = {"server": self.server}
        if self.ca:
            cluster["certificate-authority-data"] = data(self.ca)
        if self.insecure:
            cluster["insecure-skip-tls-verify"] = True
        if self.tls_server_name:
            cluster["tls-server-name"] = self.tls_server_name
        user = {}
        if self.client_certificate:
            user["client-certificate-data"] = data(self.client_certificate)
            user["client-key-data"] = data(self.client_key)
        if self.token:
            user["token"] = self.token
        if self.token_file:
            user["tokenFile"] = self.token_file

        def fields(mapping):
            lines = [f"    {key}: {json.dumps(value)}\n" for key, value in mapping.items()]
            return "\n" + "".join(lines) if lines else " {}\n"

        text = (
            "apiVersion: v1\nkind: Config\n"
            "clusters:\n- name: e2e\n  cluster:" + fields(cluster) + "users:\n- name: e2e\n  user:"
            "" + fields(user) + "contexts:\n- name: e2e\n  context:\n    cluster: e2e\n"
            "    user: e2e\ncurrent-context: e2e\n"
        )
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(text)
        return path
