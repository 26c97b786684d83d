"""Generates SELECT statements as trees (see evaluator.py), and makes them simpler.

A statement is {"from", "select", "distinct", "where", "group", "having", "order", "limit",
"offset"}; an item of GROUP BY or ORDER BY is a tree or ["pos", n].
"""
from documents import PLAIN_NAMES, PREFIX

OPERATORS = ["=", "=", "=", "!=", "<", "<=", ">", ">="]
COLLECTIONS = ["shop.items", "shop.orders", "depot.crates"]
SOURCES = ["shop.items"] * 4 + ["shop.orders", "depot.crates", "shop.*", "*", "*"]


def path(*names, form="plain"):
    return ["path", [["m", name] for name in names], form]


def integer(value):
    return ["lit", "int", str(value)]


def text(value):
    return ["lit", "text", value]


COUNT = ["agg", "COUNT", False, None]


class Generator:
    def __init__(self, random, documents):
        self.random = random
        self.documents = documents  # whose few values and names are asked for

    # ---- operands ------------------------------------------------------------------------------

    def literal(self, kinds="nnnsssb0"):
        kind = self.random.choice(kinds)
        if kind == "n":
            number = self.random.choice(self.documents.few_numbers)
            form = "dbl" if "e" in number else "dec" if "." in number else "int"
            return ["lit", form, number]
        if kind == "s":
            return text(self.random.choice(self.documents.few_strings))
        return ["lit", "bool", self.random.choice(["true", "false"])] if kind == "b" else [
            "lit", "null", "null"]

    def form(self):
        return self.random.choice(["plain", "plain", "arrow", "text"])

    def name(self):
        roll = self.random.random()
        if roll < 0.1:
            return self.random.choice(self.documents.few_odd_names)
        return self.random.choice(PLAIN_NAMES + ["g", "tags"])

    def named(self):
        roll = self.random.random()
        if roll < 0.06:
            return path("_id", form=self.form())
        if roll < 0.1:
            return path("j", form=self.form())
        legs = [["m", self.name()]]
        if self.random.random() < 0.25:
            legs.append(["m", self.name()])
        elif self.random.random() < 0.2:
            legs.append(self.random.choice([["i", 0], ["i", 1], ["last", 0]]))
        form = self.form()
        if form == "plain" and legs[0][1] in PLAIN_NAMES and self.random.random() < 0.5:
            form = "bare"
        return ["path", legs, form]

    def many(self):
        roll = self.random.randrange(8)
        if roll < 4:
            return ["any"]
        name = ["m", self.name()]
        legs = [[["m", "tags"], ["[*]"]], [["**"], name], [name, [".*"]], [name, ["range", 0, 2]],
                [["**"], [".*"]], [name, ["[*]"], ["m", self.name()]]]
        return ["path", self.random.choice(legs), self.random.choice(["plain", "arrow"])]

    def pattern(self):
        word = self.random.choice(self.documents.few_strings + ["null", "1", "[5"])
        if len(word) > 96:
            word = self.random.choice([word, PREFIX, word[:40]])
        else:
            word = word[:self.random.randrange(len(word) + 1)]
        for special in "\\%_":
            word = word.replace(special, "\\" + special)
        return text(self.random.choice([word + "%", "%" + word, "%" + word + "%", word, word + "_"]))

    def predicate_on(self, place):
        roll = self.random.random()
        negated = self.random.random() < 0.2
        if roll < 0.45:
            other = self.literal()
            operator = self.random.choice(OPERATORS)
            if self.random.random() < 0.1:
                return ["cmp", operator, other, place]
            return ["cmp", operator, place, other]
        if roll < 0.6:
            return ["in", negated, place,
                    [self.literal() for _ in range(self.random.choice([1, 2, 3]))]]
        if roll < 0.72:
            kind = self.random.choice(["n", "s", "ns"])
            return ["between", negated, place, self.literal(kind), self.literal(kind)]
        if roll < 0.84:
            return ["like", negated, place, self.pattern()]
        if roll < 0.92:
            return ["isnull", negated, place]
        return ["member", negated and place[0] != "any", self.literal("nnsssb0"), place]

    def predicate(self, many=0.4):
        if self.random.random() < many:
            return self.predicate_on(self.many())
        roll = self.random.random()
        place = self.named()
        if roll < 0.75:
            if place[2] == "text":  # its text is no document for JSON_CONTAINS
                tree = self.predicate_on(place)
                while tree[0] == "member":
                    tree = self.predicate_on(place)
                return tree
            return self.predicate_on(place)
        if roll < 0.8:
            return ["cmp", self.random.choice(OPERATORS), place, self.named()]
        if roll < 0.86:
            length = ["fn", "JSON_LENGTH", path(self.name())]
            return ["cmp", self.random.choice(OPERATORS), length,
                    integer(self.random.randrange(4))]
        if roll < 0.92:
            wanted = self.random.choice(["5", "1", '"5"', "[5]", "null", "true", '{"k": 5}'])
            return ["fn", "JSON_CONTAINS", path("j", form=self.form()), text(wanted)]
        if roll < 0.95:
            return ["overlaps", path(self.name()), path(self.name())]
        return place

    def condition(self, depth=2, predicate=None):
        predicate = predicate or self.predicate
        if depth == 0 or self.random.random() < 0.3:
            return predicate()
        roll = self.random.random()
        if roll < 0.15:
            return ["not", self.condition(depth - 1, predicate)]
        connective = "and" if roll < 0.55 else "or" if roll < 0.93 else "xor"
        return [connective] + [self.condition(depth - 1, predicate)
                               for _ in range(self.random.choice([2, 2, 2, 3]))]

    # ---- statements ----------------------------------------------------------------------------

    def statement(self, **parts):
        out = {"from": self.random.choice(SOURCES), "select": [["col", "_id"]], "distinct": False,
               "where": None, "group": [], "having": None, "order": [], "limit": None, "offset": 0}
        out.update(parts)
        return out

    def limit(self, statement, chance):
        if self.random.random() < chance:
            statement["limit"] = self.random.choice([0, 1, 2, 3, 10, 1000])
            statement["offset"] = self.random.choice([0, 0, 1, 3])
        return statement

    def order(self, statement, chance, beyond=0.0):
        if self.random.random() >= chance:
            return statement
        width = len(statement["select"])
        for _ in range(self.random.choice([1, 1, 2])):
            if self.random.random() < beyond:
                item = ["pos", self.random.choice([0, width + 1, 7])]
            elif self.random.random() < 0.5:
                item = ["pos", 1 + self.random.randrange(width)]
            elif statement["distinct"] or statement["group"]:
                item = self.random.choice(statement["select"])
            else:
                item = self.random.choice([self.named(), ["col", "collection"]])
            statement["order"].append([item, self.random.random() < 0.4])
        return statement

    def conditions(self):
        statement = self.statement(where=self.condition())
        roll = self.random.random()
        if roll < 0.3:
            statement["select"] = [["col", "collection"], ["col", "_id"]]
        elif roll < 0.4:
            statement["select"] = [["col", "doc"]]
        elif roll < 0.5:
            statement["select"] = [COUNT]
            return statement
        elif roll < 0.6:
            statement["select"] = [self.named(), ["col", "_id"]]
        return self.limit(self.order(statement, 0.2), 0.15)

    def column_predicate(self):
        roll = self.random.random()
        if roll < 0.25:
            return ["cmp", self.random.choice(OPERATORS),
                    ["fn", "JSON_LENGTH", ["col", "matches"]], integer(self.random.randrange(3))]
        if roll < 0.55:
            column = self.random.choice(["path", "place"])
            places = ["$." + self.random.choice(PLAIN_NAMES), "$.tags[*]", "$.tags[0]", "$._id"]
            if self.random.random() < 0.3:
                return ["like", self.random.random() < 0.2, ["col", column],
                        text(self.random.choice(["$.t%", "%[%", "$._", "$.a%"]))]
            return ["cmp", self.random.choice(["=", "=", "!="]), ["col", column],
                    text(self.random.choice(places))]
        if roll < 0.85:
            return ["cmp", self.random.choice(OPERATORS), ["col", "value"], self.literal("nnss")]
        return ["cmp", "=", ["col", "collection"], text(self.random.choice(COLLECTIONS))]

    def matches(self):
        def either():
            if self.random.random() < 0.35:
                return self.column_predicate()
            return self.predicate(many=0.8)

        where = ["and", self.predicate_on(self.many()), self.condition(2, either)]
        if self.random.random() < 0.35:
            where[0] = "or"
        select = self.random.choice([
            [["col", "_id"]], [["col", "_id"], ["col", "matches"]], [COUNT],
            [["col", "_id"], ["col", "path"]],
            [["col", "collection"], ["col", "_id"], ["col", "place"], ["col", "value"]]])
        statement = self.statement(where=where, select=select)
        if select == [COUNT] and self.random.random() < 0.5:
            statement["select"] = [["col", "path"], COUNT]
            statement["group"] = [["col", "path"]]
        return self.limit(statement, 0.1)

    def aggregate(self):
        operand = self.named()
        return self.random.choice([
            COUNT, COUNT, ["agg", "COUNT", False, operand], ["agg", "COUNT", True, operand],
            ["agg", "MIN", False, operand], ["agg", "MAX", False, operand],
            ["agg", "SUM", False, path("g")],
            ["agg", "SUM", False, ["fn", "JSON_LENGTH", path("tags")]]])

    def key(self):
        return self.random.choice([
            path("g"), path("g", form="text"), self.named(), ["col", "collection"],
            ["fn", "JSON_LENGTH", path("tags")], ["cmp", "=", path("g"), integer(1)]])

    def having(self):
        roll = self.random.random()
        if roll < 0.3:
            return ["cmp", "=", integer(1), integer(self.random.randrange(2))]
        if roll < 0.8:
            return ["cmp", self.random.choice(OPERATORS), COUNT, integer(self.random.randrange(5))]
        return ["cmp", self.random.choice(OPERATORS), ["agg", "SUM", False, path("g")],
                integer(self.random.randrange(5))]

    def grouping(self):
        statement = self.statement()
        if self.random.random() < 0.5:
            statement["where"] = self.condition(1)
        roll = self.random.random()
        if roll < 0.1:  # HAVING alone
            statement["select"] = [self.random.choice([integer(1), ["col", "_id"]])]
            statement["having"] = ["cmp", "=", integer(1), integer(self.random.randrange(2))]
            return statement
        if roll < 0.3:
            statement["select"] = [self.aggregate() for _ in range(self.random.choice([1, 1, 2]))]
            if self.random.random() < 0.3:
                statement["having"] = self.having()
            return statement
        if roll < 0.5:
            statement["distinct"] = True
            statement["select"] = [self.key() for _ in range(self.random.choice([1, 2]))]
            return self.limit(self.order(statement, 0.5, beyond=0.1), 0.2)
        keys = [self.key() for _ in range(self.random.choice([1, 1, 2]))]
        statement["select"] = keys + [self.aggregate() for _ in range(self.random.choice([1, 2]))]
        for i, key in enumerate(keys):
            statement["group"].append(["pos", i + 1] if self.random.random() < 0.35 else key)
        if self.random.random() < 0.05:
            statement["group"].append(["pos", self.random.choice([0, 9])])
        if self.random.random() < 0.3:
            statement["having"] = self.having()
        return self.limit(self.order(statement, 0.5, beyond=0.08), 0.2)


def simpler_trees(tree):
    """Conditions with less in them, or None."""
    what = tree[0]
    if what in ("and", "or", "xor"):
        yield from tree[1:]
        if len(tree) > 3:
            for i in range(1, len(tree)):
                yield tree[:i] + tree[i + 1:]
        for i in range(1, len(tree)):
            for inner in simpler_trees(tree[i]):
                yield tree[:i] + [inner] + tree[i + 1:]
    elif what == "not":
        yield tree[1]
        for inner in simpler_trees(tree[1]):
            yield ["not", inner]
    elif what == "in" and len(tree[3]) > 1:
        for i in range(len(tree[3])):
            yield [what, tree[1], tree[2], tree[3][:i] + tree[3][i + 1:]]


def simpler(statement):
    if statement["where"]:
        yield {**statement, "where": None}
        for tree in simpler_trees(statement["where"]):
            yield {**statement, "where": tree}
    if statement["having"]:
        yield {**statement, "having": None}
    if statement["limit"] is not None:
        yield {**statement, "limit": None, "offset": 0}
    if statement["distinct"]:
        yield {**statement, "distinct": False}
    if statement["from"] in ("*", "shop.*"):
        for source in COLLECTIONS:
            yield {**statement, "from": source}
    for part in ("order", "group"):
        for i in range(len(statement[part])):
            yield {**statement, part: statement[part][:i] + statement[part][i + 1:]}
    if len(statement["select"]) > 1 and not statement["group"]:
        for i in range(len(statement["select"])):
            yield {**statement, "select": statement["select"][:i] + statement["select"][i + 1:]}
