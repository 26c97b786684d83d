"""A collection with more text of paths than the server keeps apart: names are folded from some
point on, and a search by name must still find what came later."""
import random

from cases import Case
from documents import quote
from statements import Generator, integer, path, text

NAME_BYTES = 1_000_000
PLACES = 140


def documents():
    out = []
    for i in range(2):
        members = ", ".join(f'"p{k}": {k}' for k in range(PLACES))
        out.append(f'{{"_id": {i}, {quote(chr(ord("k") + i) * NAME_BYTES)}: {{{members}}}}}')
    out.append('{"_id": 2, "x": {"y": {"b": "target"}}, "n": 1}')
    out.append('{"_id": 3, "x": {"z": {"b": "target"}}, "late": [{"b": "target"}]}')
    return out


def cases():
    texts = {"shop.items": documents()}
    wheres = [
        ["cmp", "=", path("x", "y", "b"), text("target")],
        ["cmp", "=", path("n"), integer(1)],
        ["cmp", "=", ["path", [["**"], ["m", "b"]], "plain"], text("target")],
        ["cmp", "=", ["path", [["m", "late"], ["[*]"], ["m", "b"]], "plain"], text("target")],
        ["like", False, ["path", [["m", "x"], [".*"], ["m", "b"]], "plain"], text("tar%")],
        ["cmp", "=", ["any"], text("target")],
        ["isnull", True, path("x", "z")],
    ]
    generator = Generator(random.Random(0), None)
    for where in wheres:
        statement = generator.statement(where=where)
        statement["from"] = "shop.items"
        yield Case(texts, statement)
