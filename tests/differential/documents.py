"""Generates documents: every form of numbers, awkward strings and names, from few distinct values,
so that conditions find something."""
from jsonvalue import Num, dump, parse, quote

NUMBERS = ["0", "1", "1.0", "1e0", "-0.0", "0.1", "1e-1", "0.5", "2", "5", "5.0", "-3", "7.25",
           "10", "9", "100", "1974", "9007199254740992", "9007199254740993", "9223372036854775807",
           "9223372036854775808", "18446744073709551615", "-9223372036854775808", "1e10",
           "10000000000"]
# Beyond 64 bits or 17 digits.
GREAT_NUMBERS = ["18446744073709551616", "99999999999999999999", "100000000000000000000",
                 "0.1000000000000000055511151231257827", "1e-400", "123456789012345678901234567890"]
PREFIX = "common prefix, " * 7  # more than 96 bytes
LONG_PREFIX = PREFIX * 3  # more than 300
STRINGS = ["", "x", "red", "Red", "red beach", "beach", "b", "5", "10", "1974", "0.1", "true",
           "null", "[5]", "\x00", "a\x00b", "caf\u00e9", "cafe\u0301", "\u5927\u962a", "\U0001f600",
           "100%", "under_score", "back\\slash", "quo\"te", "it's", " x", "x ",
           PREFIX, PREFIX + "a", PREFIX + "b", LONG_PREFIX + "a", LONG_PREFIX + "b"]
JSON_TEXTS = ['5', '"5"', '"[5]"', '[5]', '[1, 5]', '{"k": 5}', '"null"', 'true', 'null']
PLAIN_NAMES = ["a", "b", "n", "t", "x"]
ODD_NAMES = ["", "a.b", "*", "**", "a[0]", "quo\"te", "it's", "nul\x00", "\u00e9t\u00e9", "2nd",
             "back\\slash"]
IDS = ["7", "alpha", "beta", "7.5", "a.b", "\u00e9"]


class Generator:
    def __init__(self, random, great_numbers=False):
        self.random = random
        self.numbers = NUMBERS + (GREAT_NUMBERS if great_numbers else [])
        # Few values for one set of documents, so that they meet.
        self.few_numbers = random.sample(self.numbers, 7)
        self.few_strings = random.sample(STRINGS, 7)
        self.few_odd_names = random.sample(ODD_NAMES, 2)

    def scalar_text(self):
        roll = self.random.random()
        if roll < 0.4:
            return self.random.choice(self.few_numbers)
        if roll < 0.8:
            return quote(self.random.choice(self.few_strings))
        return self.random.choice(["true", "false", "null"])

    def name(self):
        if self.random.random() < 0.12:
            return self.random.choice(self.few_odd_names)
        return self.random.choice(PLAIN_NAMES)

    def value_text(self, depth):
        roll = self.random.random()
        if depth > 0 and roll < 0.2:
            count = self.random.choice([0, 1, 1, 2, 3])
            return "[" + ", ".join(self.value_text(depth - 1) for _ in range(count)) + "]"
        if depth > 0 and roll < 0.35:
            return self.object_text([], depth - 1)
        return self.scalar_text()

    def object_text(self, first, depth):
        members = dict(first)
        for _ in range(self.random.choice([0, 1, 2, 3, 4])):
            members.setdefault(self.name(), self.value_text(depth))
        return "{" + ", ".join(f"{quote(name)}: {text}" for name, text in members.items()) + "}"

    def document_text(self, identity):
        first = [("_id", identity)]
        if self.random.random() < 0.5:
            first.append(("j", self.random.choice(JSON_TEXTS)))  # always JSON, also as text
        if self.random.random() < 0.5:
            first.append(("g", self.random.choice(["1", "1.0", "2", '"1"', "null", "[1]"])))
        if self.random.random() < 0.5:
            first.append(("tags", "[" + ", ".join(
                self.value_text(1) for _ in range(self.random.randrange(4))) + "]"))
        if self.random.random() < 0.15:
            first.append(("map", "{" + ", ".join(
                f'"{self.random.randrange(1000):03}": {self.scalar_text()}'
                for _ in range(3)) + "}"))
        return self.object_text(first, 2)

    def documents(self, count):
        """Texts with distinct `_id`."""
        out = []
        for i in range(count):
            roll = self.random.random()
            identity = str(i) if roll < 0.6 else quote(f"{self.random.choice(IDS)}{i}")
            if i == 7 and roll < 0.5:
                identity = '"7"'
            out.append(self.document_text(identity))
        return out


def simpler(text):
    """Smaller documents that may still show a fault: without a member, or with a simpler value."""
    document = parse(text)
    for name in list(document):
        if name == "_id":
            continue
        yield dump({key: one for key, one in document.items() if key != name})
    for name, value in document.items():
        if isinstance(value, list) and value:
            for i in range(len(value)):
                yield dump({**document, name: value[:i] + value[i + 1:]})
        elif isinstance(value, dict) and value:
            for inner in value:
                yield dump({**document, name: {k: v for k, v in value.items() if k != inner}})
        elif isinstance(value, Num) and name != "_id" and value.text not in ("1", "2", "5"):
            yield dump({**document, name: Num("1")})
