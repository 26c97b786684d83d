#!/usr/bin/env python3
"""Refuses includes that the module() calls do not allow.

Reads every <folder>/CMakeLists.txt, and fails on an include of a folder that is not declared in
DEPENDS, on an include of another folder's private header, on a cycle between folders, on a folder
with sources that no module() names, and on a PUBLIC header that does not exist.
Run with --self-test to see that each of these is noticed.
"""
import pathlib
import re
import sys
import tempfile

MODULE = re.compile(r"^module\((.*?)\)", re.M | re.S)
INCLUDE = re.compile(r'^\s*#\s*include\s+"([a-z_]+)/([^"]+)"', re.M)
KEYWORDS = {"DEPENDS", "PUBLIC", "SOURCES", "LIBRARIES", "PUBLIC_LIBRARIES"}


def read_modules(root):
    modules = {}
    for cmake in sorted(root.glob("*/CMakeLists.txt")):
        text = re.sub(r"#[^\n]*", "", cmake.read_text())
        for call in MODULE.findall(text):
            words = call.split()
            name, lists, current = words[0], {key: [] for key in KEYWORDS}, None
            for word in words[1:]:
                if word in KEYWORDS:
                    current = word
                elif current:
                    lists[current].append(word)
            modules[name] = lists
    return modules


def closure(modules, name, seen=()):
    """All folders that `name` may use, directly or through others; raises on a cycle."""
    if name in seen:
        raise ValueError("cycle: " + " -> ".join(seen[seen.index(name):] + (name,)))
    allowed = set()
    for used in modules.get(name, {}).get("DEPENDS", []):
        allowed |= {used} | closure(modules, used, seen + (name,))
    return allowed


def problems_of(root):
    modules, problems = read_modules(root), []
    for name, lists in modules.items():
        try:
            allowed = closure(modules, name)
        except ValueError as cycle:
            problems.append(str(cycle))
            continue
        for used in lists["DEPENDS"]:
            if used not in modules:
                problems.append(f"{name}: depends on unknown folder {used}")
        for header in lists["PUBLIC"]:
            if not (root / name / header).exists():
                problems.append(f"{name}: public header {header} does not exist")
        for source in sorted((root / name).rglob("*")):
            if source.suffix not in {".h", ".cc"}:
                continue
            for folder, header in INCLUDE.findall(source.read_text()):
                where = f"{source.relative_to(root)}: includes {folder}/{header}"
                if folder == name or folder not in modules:
                    continue
                if folder not in allowed:
                    problems.append(f"{where}, but {name} does not depend on {folder}")
                elif header not in modules[folder]["PUBLIC"] and not header.endswith(".pb.h"):
                    problems.append(f"{where}, a private header")
    for folder in {path.parent for path in root.glob("*/*.cc")}:
        if folder.name not in modules and folder.name not in {"tests", "bench", "fuzz", "examples"}:
            problems.append(f"{folder.name}: has sources but no module()")
    return problems


def self_test():
    cases = {
        "undeclared": ({"a": "", "b": ""}, {"b/x.cc": '#include "a/p.h"\n'}),
        "private": ({"a": "", "b": "DEPENDS a"}, {"b/x.cc": '#include "a/q.h"\n'}),
        "cycle": ({"a": "DEPENDS b", "b": "DEPENDS a"}, {}),
        "missing public header": ({"a": "PUBLIC none.h"}, {}),
        "no module": ({"a": ""}, {"c/x.cc": "\n"}),
    }
    failed = []
    for title, (modules, files) in cases.items():
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            for folder, rest in modules.items():
                (root / folder).mkdir()
                public = "" if "PUBLIC" in rest else "PUBLIC p.h"
                (root / folder / "CMakeLists.txt").write_text(f"module({folder} {rest} {public})")
                (root / folder / "p.h").write_text("")
                (root / folder / "q.h").write_text("")
            if problems_of(root):
                failed.append(f"{title}: the clean case is refused") if title in {
                    "undeclared", "private"} else None
            for path, text in files.items():
                (root / path).parent.mkdir(exist_ok=True)
                (root / path).write_text(text)
            if not problems_of(root):
                failed.append(f"{title}: not noticed")
    return failed


def main():
    found = self_test() if "--self-test" in sys.argv else problems_of(
        pathlib.Path(__file__).resolve().parent.parent)
    for problem in found:
        print(problem)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
