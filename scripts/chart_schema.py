"""Validates values of a Helm chart by its values.schema.json.

Knows the keywords that Berth's schema uses; another one is an error, so that no rule is skipped.
"""

import re

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool}
ANNOTATIONS = {"$schema", "title", "description", "definitions"}
KEYWORDS = ANNOTATIONS | {
    "$ref", "type", "enum", "properties", "required", "additionalProperties", "items", "minimum",
    "maximum", "pattern", "minLength", "minItems",
}  # fmt: skip


class UnknownKeyword(Exception):
    """The schema uses a keyword that this validator does not know."""


def is_of_type(value, kind):
    if kind in ("integer", "number"):
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return number and (kind == "number" or float(value).is_integer())
    return isinstance(value, TYPES[kind])


def check_keywords(schema, where="values.schema.json"):
    """Raises UnknownKeyword for the first keyword that `problems` would skip."""
    if unknown := sorted(set(schema) - KEYWORDS):
        raise UnknownKeyword(f"{where}: unknown keyword {unknown[0]!r}")
    for group in ("properties", "definitions"):
        for name, part in schema.get(group, {}).items():
            check_keywords(part, f"{where}: {name}")
    for keyword in ("items", "additionalProperties"):
        if isinstance(schema.get(keyword), dict):
            check_keywords(schema[keyword], f"{where}: {keyword}")


def show(value):
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    names = {dict: "an object", list: "a list"}
    return names.get(type(value)) or repr(value)


def problems(value, schema, where="", root=None):
    """Yields what is wrong with the value: "replicas: 'x' is not of type integer"."""
    root = schema if root is None else root
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/definitions/")
        yield from problems(value, root["definitions"][name], where, root)
        return
    kinds = schema.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if kinds and not any(is_of_type(value, kind) for kind in kinds):
        yield f"{where or 'values'}: {show(value)} is not of type {' or '.join(kinds)}"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where}: {show(value)} is not one of {', '.join(map(show, schema['enum']))}"
    if isinstance(value, (int, float)):
        yield from number_problems(value, schema, where)
    if isinstance(value, str):
        if len(value) < schema.get("minLength", 0):
            yield f"{where}: is empty"
        if not re.search(schema.get("pattern", ""), value):
            yield f"{where}: {show(value)} does not match {schema['pattern']}"
    if isinstance(value, list):
        if len(value) < schema.get("minItems", 0):
            yield f"{where}: has {len(value)} items, needs {schema['minItems']}"
        for number, item in enumerate(value):
            yield from problems(item, schema.get("items", {}), f"{where}[{number}]", root)
    if isinstance(value, dict):
        yield from member_problems(value, schema, where, root)


def number_problems(value, schema, where):
    if value < schema.get("minimum", value):
        yield f"{where}: {show(value)} is less than {schema['minimum']}"
    if value > schema.get("maximum", value):
        yield f"{where}: {show(value)} is more than {schema['maximum']}"


def member_problems(value, schema, where, root):
    inside = f"{where}." if where else ""
    for name in schema.get("required", []):
        if name not in value:
            yield f"{inside}{name}: is missing"
    known = schema.get("properties", {})
    for name, member in value.items():
        if name in known:
            yield from problems(member, known[name], inside + name, root)
            continue
        others = schema.get("additionalProperties", True)
        if others is False:
            yield f"{inside}{name}: unknown; known here: {', '.join(known)}"
        elif isinstance(others, dict):
            yield from problems(member, others, inside + name, root)
