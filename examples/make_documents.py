#!/usr/bin/env python3
"""Writes example documents as JSON Lines, the same ones at every run.

usage: make_documents.py products|orders|reviews COUNT

Products have a title and a description, and sometimes a size, a usage, a gender, a material, a
year, a price and the day since when they are in stock: nobody declared which. Orders hold products
in an array, reviews have tags. The word Jippie stands in all three, at different paths.
"""
import json
import random
import sys

CONSONANTS = "b d f g k l m n p r s t v br st tr pl sh".split()
VOWELS = "a e i o u ea oo".split()
SIZES = ["XS", "S", "M", "L", "XL", "one size"]
USAGES = ["outdoor", "indoor", "sport", "office", "party", "travel", "home", "garden"]
GENDERS = ["female", "male", "unisex", "kids"]
MATERIALS = ["cotton", "wool", "silk", "leather", "linen", "steel", "wood", "glass"]
TITLES = ["Beach", "Mountain", "River", "Forest", "Desert", "Harbour", "Summer", "Winter", "Jippie"]
STATES = ["open", "paid", "shipped", "returned"]


def make_words(count, seed):
    source, words = random.Random(seed), []
    while len(words) < count:
        word = "".join(source.choice(CONSONANTS) + source.choice(VOWELS)
                       for _ in range(source.randint(1, 3)))
        if word not in words:
            words.append(word)
    return words


WORDS = make_words(600, 1)
TITLE_WORDS = TITLES + [word.capitalize() for word in make_words(150, 2)]


def title(source):
    return " ".join(source.choices(TITLE_WORDS, k=source.randint(1, 2)))


def day(source):
    return f"{source.randint(2000, 2016)}-{source.randint(1, 12):02}-{source.randint(1, 28):02}"


def product(source, number):
    document = {"title": title(source)}
    sentence = " ".join(source.choices(WORDS, k=source.randint(8, 20)))
    document["description"] = sentence.capitalize() + "."
    optional = {
        "size": (0.9, lambda: source.choice(SIZES)),
        "usage": (0.8, lambda: source.choice(USAGES)),
        "gender": (0.65, lambda: source.choice(GENDERS)),
        "material": (0.95, lambda: source.choice(MATERIALS)),
        "in_stock_since": (0.95, lambda: day(source)),
        "year": (0.3, lambda: source.randint(1950, 2016)),
        "price": (0.9, lambda: round(source.uniform(1, 5000), 2)),
    }
    for name, (share, value) in optional.items():
        if source.random() < share:
            document[name] = value()
    if number == 0:
        document["title"] = "Jippie"
    return document


def order(source, number):
    items = [{"title": title(source), "quantity": source.randint(1, 9),
              "price": round(source.uniform(1, 5000), 2)} for _ in range(source.randint(1, 4))]
    if number == 0:
        items[-1]["title"] = "Jippie"
    return {"order": number + 1,
            "customer": {"name": " ".join(w.capitalize() for w in source.choices(WORDS, k=2)),
                         "born": source.randint(1940, 2000)},
            "status": source.choice(STATES), "placed": day(source) + "T12:00:00Z", "items": items,
            "gift": source.random() < 0.1}


def review(source, number):
    tags = source.sample(USAGES + MATERIALS, source.randint(0, 4))
    if number == 0:
        tags.append("Jippie")
    document = {"product": title(source), "stars": source.randint(1, 5), "tags": tags,
                "text": " ".join(source.choices(WORDS, k=source.randint(5, 40)))}
    if source.random() < 0.2:
        document["answer"] = None if source.random() < 0.5 else {"text": title(source)}
    return document


def main():
    makers = {"products": product, "orders": order, "reviews": review}
    if len(sys.argv) != 3 or sys.argv[1] not in makers or not sys.argv[2].isdigit():
        sys.exit(__doc__)
    source = random.Random(sys.argv[1])
    for number in range(int(sys.argv[2])):
        print(json.dumps(makers[sys.argv[1]](source, number), separators=(",", ":")))


if __name__ == "__main__":
    main()
