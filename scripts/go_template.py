"""The part of Go's text/template that Berth's Helm chart uses, as strict as can be.

What is not known here is an error with file and line: a syntax, a function, a field of nothing, a
comparison of different types, a value that would print as nothing or in an unexpected form. So a
chart that renders here renders likewise in Helm, which is more forgiving; the reverse need not be
true.

    templates = Templates(functions)
    templates.parse("a.yaml", "name: {{ .Name | quote }}")
    templates.render("a.yaml", {"Name": "x"})  # 'name: "x"'

As in Helm, numbers of values are floats, and numbers in templates are integers.
"""

import re

TOKEN = re.compile(
    r'\s*(?:(?P<string>"(?:\\.|[^"\\\n])*"|`[^`]*`)'
    r"|(?P<number>-?\d+(?![\w.]))"
    r"|(?P<variable>\$\w*)"
    r"|(?P<field>(?<![\w)])\.(?![\w])|\.[A-Za-z_]\w*)"
    r"|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<sign>:=|[|(),]))"
)
ACTION = re.compile(
    r"\{\{(-(?=\s))?"
    r'((?:"(?:\\.|[^"\\])*"|`[^`]*`|/\*.*?\*/|[^}`"]|\}(?!\}))*?)'
    r"(\s-)?\}\}",
    re.DOTALL,
)
KEYWORDS = {"if", "else", "end", "range", "with", "define"}
ESCAPES = {"n": "\n", "t": "\t", '"': '"', "\\": "\\"}


class TemplateError(Exception):
    """Says which file and line is wrong, and what."""


class Place:
    def __init__(self, name, line):
        self.name, self.line = name, line

    def error(self, message):
        return TemplateError(f"{self.name}:{self.line}: {message}")


class Block:
    """What stands between two actions, or an action with what is in it."""

    def __init__(self, place, kind, **parts):
        self.place, self.kind = place, kind
        self.__dict__.update(parts)


def unquote(token):
    if token.startswith("`"):
        return token[1:-1]
    return re.sub(r"\\(.)", lambda found: ESCAPES[found[1]], token[1:-1])


class Expression:
    """Parses the pipeline of an action."""

    def __init__(self, text, place):
        self.place = place
        self.tokens = []  # Pairs of kind and text; fields say whether a space precedes them.
        at = 0
        text = text.rstrip()
        while at < len(text):
            found = TOKEN.match(text, at)
            if not found:
                raise place.error(f"cannot read {text[at:].strip()!r}")
            kind = found.lastgroup
            spaced = found.start(kind) > at or at == 0
            if kind == "string" and re.search(r'\\[^nt"\\]', found[kind]) and found[kind][0] == '"':
                raise place.error(f"unknown escape in {found[kind]}")
            self.tokens.append((kind, found[kind], spaced))
            at = found.end()
        self.next = 0

    def peek(self, offset=0):
        at = self.next + offset
        return self.tokens[at] if at < len(self.tokens) else ("end", "", True)

    def take(self, sign=None):
        token = self.peek()
        if sign and token[1] != sign:
            raise self.place.error(f"expected {sign!r}, found {token[1] or 'the end'!r}")
        self.next += 1
        return token

    def declaration(self):
        """Returns the names before ":=", of which there may be none."""
        names = []
        while self.peek()[0] == "variable" and self.peek(1)[1] in (":=", ","):
            names.append(self.take()[1])
            if self.take()[1] == ":=":
                return names
        if names:
            raise self.place.error("expected a variable and ':='")
        return names

    def pipeline(self):
        commands = [self.command()]
        while self.peek()[1] == "|":
            self.take()
            commands.append(self.command())
        return commands

    def command(self):
        operands = [self.operand()]
        while self.peek()[0] != "end" and self.peek()[1] not in ("|", ")"):
            operands.append(self.operand())
        return operands

    def operand(self):
        kind, text, _ = self.take()
        if kind == "string":
            return ("value", unquote(text))
        if kind == "number":
            return ("value", int(text))
        if kind == "name":
            constants = {"true": True, "false": False}
            return ("value", constants[text]) if text in constants else ("call", text)
        if kind == "variable":
            return ("chain", text, self.fields([]))
        if kind == "field":
            return ("chain", ".", self.fields([] if text == "." else [text[1:]]))
        if text == "(":
            inner = self.pipeline()
            self.take(")")
            if self.peek()[0] == "field" and not self.peek()[2]:
                raise self.place.error("a field of a parenthesis is not supported")
            return ("pipeline", inner)
        raise self.place.error(f"unexpected {text or 'end'!r}")

    def fields(self, names):
        while self.peek()[0] == "field" and not self.peek()[2]:
            names.append(self.take()[1][1:])
        return names

    def end(self):
        if self.peek()[0] != "end":
            raise self.place.error(f"unexpected {self.peek()[1]!r}")


class Parser:
    """Makes a list of blocks of a text."""

    def __init__(self, name, text, templates):
        self.templates = templates
        self.items = []  # (place, "text" or "action", content)
        at, line, trim = 0, 1, False
        for found in ACTION.finditer(text):
            self._text(name, line, text[at : found.start()], trim, found[1] is not None)
            line = 1 + text.count("\n", 0, found.start())
            self.items.append((Place(name, line), "action", found[2].strip()))
            at, trim = found.end(), found[3] is not None
        self._text(name, 1 + text.count("\n", 0, at), text[at:], trim, False)
        self.next = 0

    def _text(self, name, line, text, trim_left, trim_right):
        if "{{" in text or "}}" in text:
            raise Place(name, line).error("braces that belong to no action")
        text = text.lstrip() if trim_left else text
        text = text.rstrip() if trim_right else text
        if text:
            self.items.append((Place(name, line), "text", text))

    def blocks(self, ends, opened=None):
        """Returns the blocks before an action that begins with one of `ends`, and that action."""
        blocks = []
        while self.next < len(self.items):
            place, kind, content = self.items[self.next]
            self.next += 1
            if kind == "text":
                blocks.append(Block(place, "text", text=content))
                continue
            if content.startswith("/*"):
                if not content.endswith("*/"):
                    raise place.error("a comment is alone in its action")
                continue
            word = re.match(r"\w*", content)[0]
            if word in ("else", "end"):
                if word not in ends:
                    raise place.error(f"unexpected {word}")
                return blocks, content
            self._action(place, word, content, blocks, opened)
        if ends:
            raise opened.error("the action is not closed by an end")
        return blocks, ""

    def _action(self, place, word, content, blocks, opened):
        if word == "define":
            if opened:
                raise place.error("define is allowed at the top of a file only")
            name = re.fullmatch(r'define\s+("[^"\\]+")', content)
            if not name:
                raise place.error("expected define and a name")
            inner, _ = self.blocks({"end"}, place)
            self.templates.define(unquote(name[1]), inner, place)
        elif word in ("if", "with", "range"):
            blocks.append(self._branch(place, word, content[len(word) :]))
        else:
            expression = Expression(content, place)
            names = expression.declaration()
            if len(names) > 1:
                raise place.error("only range declares two variables")
            block = Block(place, "print", names=names, pipeline=expression.pipeline())
            expression.end()
            blocks.append(block)

    def _branch(self, place, word, text):
        expression = Expression(text, place)
        names = expression.declaration()
        if len(names) > (2 if word == "range" else 1):
            raise place.error("too many variables")
        pipeline = expression.pipeline()
        expression.end()
        inner, closed = self.blocks({"else", "end"}, place)
        other = []
        if closed.startswith("else"):
            rest = closed[4:].strip()
            if rest.startswith("if ") and word == "if":
                other = [self._branch(place, "if", rest[2:])]
            elif rest:
                raise place.error(f"{closed!r} is not supported here")
            else:
                other, _ = self.blocks({"end"}, place)
        return Block(place, word, names=names, pipeline=pipeline, inner=inner, other=other)


def is_true(value):
    return bool(value)


def to_text(value, place):
    """Returns what an action prints."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e6:
        return str(int(value))
    what = "nothing" if value is None else repr(value)
    raise place.error(f"would print {what}: use default, int or toYaml")


class Templates:
    """Templates that include each other, and the functions that they call.

    A function gets its arguments as Python values and fails with a ValueError.
    """

    def __init__(self, functions):
        self._functions = functions
        self._defined = {}

    def parse(self, name, text):
        parser = Parser(name, text, self)
        blocks, _ = parser.blocks(set())
        self.define(name, blocks, Place(name, 1))

    def define(self, name, blocks, place):
        if name in self._defined:
            raise place.error(f"{name!r} is defined twice")
        self._defined[name] = blocks

    def render(self, name, data):
        return Rendering(self._functions, self._defined).include(name, data, Place(name, 1))


class Rendering:
    MAX_DEPTH = 50

    def __init__(self, functions, defined):
        self._functions, self._defined, self._depth = functions, defined, 0

    def include(self, name, data, place):
        if name not in self._defined:
            raise place.error(f"no template {name!r} is defined")
        if self._depth == self.MAX_DEPTH:
            raise place.error(f"{name!r} includes itself without end")
        self._depth += 1
        out = []
        self._run(self._defined[name], data, {"$": data}, out)
        self._depth -= 1
        return "".join(out)

    def _run(self, blocks, dot, variables, out):
        variables = dict(variables)
        for block in blocks:
            if block.kind == "text":
                out.append(block.text)
            elif block.kind == "print":
                value = self._evaluate(block.pipeline, dot, variables, block.place)
                if block.names:
                    variables[block.names[0]] = value
                else:
                    out.append(to_text(value, block.place))
            else:
                self._branch(block, dot, variables, out)

    def _branch(self, block, dot, variables, out):
        value = self._evaluate(block.pipeline, dot, variables, block.place)
        if block.kind == "range" and not (value is None or isinstance(value, (dict, list))):
            raise block.place.error(f"range over {value!r}")
        if not is_true(value):
            self._run(block.other, dot, variables, out)
        elif block.kind == "range":
            self._range(block, value, variables, out)
        else:
            inner = {**variables, **{name: value for name in block.names}}
            self._run(block.inner, value if block.kind == "with" else dot, inner, out)

    def _range(self, block, value, variables, out):
        pairs = sorted(value.items()) if isinstance(value, dict) else enumerate(value)
        for key, item in pairs:
            bound = [item] if len(block.names) == 1 else [key, item]
            self._run(block.inner, item, {**variables, **dict(zip(block.names, bound))}, out)

    def _evaluate(self, pipeline, dot, variables, place):
        value = None
        for number, command in enumerate(pipeline):
            value = self._command(command, dot, variables, place, [value] if number else [])
        return value

    def _command(self, command, dot, variables, place, last):
        first, *rest = command
        if first[0] == "call":
            return self._call(first[1], rest, last, dot, variables, place)
        value = self._operand(first, dot, variables, place)
        if not callable(value):
            if rest or last:
                raise place.error("arguments for something that is not a function")
            return value
        arguments = [self._operand(operand, dot, variables, place) for operand in rest]
        return self._apply("method", value, arguments + last, place)

    def _call(self, name, operands, last, dot, variables, place):
        if name in KEYWORDS:
            raise place.error(f"{name} is not supported here")
        if name in ("and", "or"):
            return self._choose(name, operands, last, dot, variables, place)
        arguments = [self._operand(operand, dot, variables, place) for operand in operands] + last
        if name == "include":
            if len(arguments) != 2:
                raise place.error("include needs a name and its data")
            return self.include(*arguments, place)
        if name not in self._functions:
            raise place.error(f"unknown function {name!r}")
        return self._apply(name, self._functions[name], arguments, place)

    def _choose(self, name, operands, last, dot, variables, place):
        """Evaluates no more operands than needed."""
        if len(operands) + len(last) < 2:
            raise place.error(f"{name} needs two operands")
        value = None
        for operand in operands:
            value = self._operand(operand, dot, variables, place)
            if is_true(value) == (name == "or"):
                return value
        return last[0] if last else value

    def _apply(self, name, function, arguments, place):
        try:
            return function(*arguments)
        except TypeError as error:
            raise place.error(f"{name}: {error}") from error
        except ValueError as error:
            raise place.error(str(error)) from error

    def _operand(self, operand, dot, variables, place):
        kind = operand[0]
        if kind == "value":
            return operand[1]
        if kind == "pipeline":
            return self._evaluate(operand[1], dot, variables, place)
        if kind == "call":
            return self._call(operand[1], [], [], dot, variables, place)
        _, start, names = operand
        if start != "." and start not in variables:
            raise place.error(f"undefined variable {start}")
        value = dot if start == "." else variables[start]
        for name in names:
            if not isinstance(value, dict):
                raise place.error(f"field {name} of {'nothing' if value is None else repr(value)}")
            value = value.get(name)
        return value
