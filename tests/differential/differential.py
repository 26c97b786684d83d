#!/usr/bin/env python3
"""Generated documents, statements and histories: the index, a scan and an evaluator of our own must
give the same answers.

  differential.py --driver PATH --statements N --seed S [--areas a,b] [--known FILE]
  differential.py --driver PATH --replay FILE

What fails is made small and printed, with a line for --replay. A line of the known file is a
regular expression: a failure whose message or small script it matches is told, but not counted. The last line
is `N passed, N failed`.
"""
import argparse
import functools
import json
import random
import re
import sys
from collections import Counter

import documents
import histories
import long_names
import statements
import statistics_check
from cases import Bench, Case, shrink
from client import Driver
from shrinking import shorter

STATEMENT_AREAS = ["conditions", "matches", "grouping"]
AREAS = STATEMENT_AREAS + ["names", "statistics", "histories"]
STEPS_AS_STATEMENTS = 50  # a history or a run of statistics is as much work as so many statements
HISTORY_LOCK_WAIT_MS = 4_000  # what waits so long was forgotten
PER_STORE = 40  # statements over one set of documents
MOST_SHRUNK = 5  # failures of an area that are made small; further ones are only counted


class Report:
    def __init__(self, known):
        self.known = known
        self.passed = self.failed = 0
        self.told = Counter()  # failures that were made small, by area

    def wants_shrinking(self, area):
        return self.known or self.told[area] < MOST_SHRUNK

    def fail(self, area, seed, what, script, replay):
        text = "\n".join([what] + script)
        if any(pattern.search(text) for pattern in self.known):
            print(f"known: {area}, seed {seed}: {what}")
            self.passed += 1
            return
        self.failed += 1
        self.told[area] += 1
        print(f"FAILED {area}, seed {seed}: {what}")
        for line in script:
            print("  " + line)
        if replay:
            print("  replay: " + json.dumps(replay))
        sys.stdout.flush()


@functools.lru_cache(4)
def make_documents(store_seed, great_numbers):
    maker = documents.Generator(random.Random(f"store {store_seed}"), great_numbers)
    return maker, {name: maker.documents(count)
                   for name, count in zip(statements.COLLECTIONS, (16, 8, 6))}


def make_case(area, seed, great_numbers):
    """The case of a seed; seeds of one store share its documents."""
    maker, texts = make_documents(seed // PER_STORE, great_numbers)
    generator = statements.Generator(random.Random(f"{area} {seed}"), maker)
    return Case(texts, getattr(generator, area)())


def run_statements(program, args, areas, report):
    driver = Driver(program)
    bench = Bench(driver)
    for seed in range(args.seed * 1_000_000, args.seed * 1_000_000 + args.statements):
        area = areas[seed % len(areas)]
        case = make_case(area, seed, args.great_numbers)
        wrong = bench.judge(case)
        if wrong is None:
            report.passed += 1
        elif report.wants_shrinking(area):
            small = shrink(bench, case)
            report.fail(area, seed, ": ".join(bench.judge(small)), small.script(), small.as_json())
        else:
            report.failed += 1
    driver.close()


def run_names(program, report):
    driver = Driver(program)
    bench = Bench(driver)
    for number, case in enumerate(long_names.cases()):
        wrong = bench.judge(case)
        if wrong is None:
            report.passed += 1
        else:
            report.fail("names", number, ": ".join(wrong), case.script()[-1:], None)
    driver.close()


def run_statistics(program, args, report):
    driver = Driver(program)
    for seed in range(args.seed * 1_000_000, args.seed * 1_000_000 + runs_of(args)):
        chance = random.Random(f"statistics {seed}")
        steps = statistics_check.generate(chance, documents.Generator(chance, args.great_numbers))
        judge_steps(driver, "statistics", seed, steps, report)
    driver.close()


def run_histories(program, args, report):
    driver = Driver(program, HISTORY_LOCK_WAIT_MS)
    for seed in range(args.seed * 1_000_000, args.seed * 1_000_000 + runs_of(args)):
        steps = histories.Generator(random.Random(f"history {seed}")).history()
        judge_steps(driver, "histories", seed, steps, report)
    driver.close()


def runs_of(args):
    return max(1, args.statements // STEPS_AS_STATEMENTS)


def run_steps(driver, area, steps):
    """(what is wrong or None, a script)."""
    if area == "statistics":
        return statistics_check.run(driver, steps), statistics_check.script(steps)
    return histories.run(driver, steps)


def judge_steps(driver, area, seed, steps, report):
    last = None  # whether a wait was met is a matter of luck: not every failure comes again

    def fails(some):
        nonlocal last
        wrong, script = run_steps(driver, area, some)
        if wrong:
            last = (wrong, script, {"area": area, "steps": some})
        return wrong is not None

    if not fails(steps):
        report.passed += 1
    elif report.wants_shrinking(area):
        hangs = "Lock wait timeout" in last[0]  # each try takes as long as that
        shorter(steps, fails, 10 if hangs else 60)
        report.fail(area, seed, *last)
    else:
        report.failed += 1


def replay(program, line, report):
    saved = json.loads(line)
    driver = Driver(program, HISTORY_LOCK_WAIT_MS)
    if saved["area"] in ("statistics", "histories"):
        judge_steps(driver, saved["area"], 0, saved["steps"], report)
    else:
        case = Case(saved["documents"], saved["statement"])
        wrong = Bench(driver).judge(case)
        if wrong:
            report.fail("statement", 0, ": ".join(wrong), case.script(), saved)
        else:
            report.passed += 1
    driver.close()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--driver", required=True)
    parser.add_argument("--statements", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--areas", type=lambda text: text.split(","), default=AREAS)
    parser.add_argument("--known", type=argparse.FileType())
    parser.add_argument("--replay", type=argparse.FileType())
    parser.add_argument("--great-numbers", action="store_true",
                        help="numbers beyond 64 bits and 17 digits too")
    return parser.parse_args()


def main():
    args = arguments()
    known = [re.compile(line.rstrip("\n")) for line in args.known or []
             if line.strip() and not line.startswith("#")]
    report = Report(known)
    if args.replay:
        for line in args.replay:
            replay(args.driver, line, report)
    else:
        asked = [area for area in STATEMENT_AREAS if area in args.areas]
        if asked:
            run_statements(args.driver, args, asked, report)
        if "names" in args.areas:
            run_names(args.driver, report)
        if "statistics" in args.areas:
            run_statistics(args.driver, args, report)
        if "histories" in args.areas:
            run_histories(args.driver, args, report)
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
