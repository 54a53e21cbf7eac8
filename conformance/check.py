#!/usr/bin/env python3
"""Runs the public suites and compares with the committed lists of what passes.

    python3 conformance/check.py --prog target/release/tilewright               # all suites
    python3 conformance/check.py --prog target/release/tilewright --bless       # and rewrite the lists
    python3 conformance/check.py --prog target/release/tilewright --suite fuzz --suite onnx-light

Needs $TW_SHARED, the folder that holds `conform/run_suite.py`, and that suite's Python packages.

A test may pass, be unsupported, or be argued in `disputed.md`; everything else is an error, and so is a test that the list
says passed and that does not. In the suite `malformed` a test is right when a bad model is rejected or, where the model is
only odd, survived. Exit status: 0 all as listed or better, 1 otherwise, 2 when a suite does not run.
"""
import argparse
import collections
import fnmatch
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SUITES = ["onnx-node", "onnx-simple", "onnx-light", "fuzz", "malformed"]
REJECTED = ("invalid", "error", "unsupported")
DEADLY = ("crash", "timeout")
RIGHT = ("pass", "rejected", "survived")


def run(suite, adapter, timeout):
    """The suite's results: name -> record of run_suite."""
    script = os.path.join(os.environ["TW_SHARED"], "conform", "run_suite.py")
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.json")
        command = [sys.executable, script, "--suite", suite, "--adapter", adapter, "--json", out]
        subprocess.run(command + ["--timeout-per-test", str(timeout)], check=True, stdout=subprocess.DEVNULL)
        with open(out) as file:
            return json.load(file)["results"]


def verdict(record):
    """One word for how a test went, from its status and what the suite expects."""
    status, expect = record["status"], record.get("expect")
    if expect == "reject":
        return "rejected" if status in REJECTED else status
    if expect == "nocrash":
        return status if status in DEADLY else "survived"
    return status


def reason(record):
    """The first line of the message, without what differs between machines and runs."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", record.get("msg", ""))
    text = re.sub(r"^exit \d+: ", "", text).strip()
    text = text.splitlines()[0] if text else ""
    text = re.sub(r"^error(\[\w+\])?: ", "", text)
    text = re.sub(r"(?<![\w.])/[^\s:'\"`]*/", "", text)
    return text[:160]


def entry(record):
    """A line of the list: the verdict, with its reason where the test is not right."""
    word = verdict(record)
    return word if word in RIGHT else f"{word}: {reason(record)}".rstrip(": ")


def word(line):
    return line.split(":", 1)[0]


def disputed():
    """Patterns of the names argued in disputed.md: lines that start with "- `name`"."""
    with open(os.path.join(HERE, "disputed.md")) as file:
        return re.findall(r"^- `([^`]+)`", file.read(), re.M)


def list_path(suite):
    return os.path.join(HERE, suite + ".json")


def read_list(suite):
    if not os.path.exists(list_path(suite)):
        return {}
    with open(list_path(suite)) as file:
        return json.load(file)["tests"]


def write_list(suite, tests):
    counts = collections.Counter(word(line) for line in tests.values())
    content = {"suite": suite, "counts": dict(sorted(counts.items())), "tests": dict(sorted(tests.items()))}
    with open(list_path(suite), "w") as file:
        json.dump(content, file, indent=1, ensure_ascii=False)
        file.write("\n")


def problems(tests, listed, argued):
    """Every test that is wrong, or was right and is lost."""
    for name, line in sorted(tests.items()):
        is_argued = any(fnmatch.fnmatchcase(name, pattern) for pattern in argued)
        if word(line) in RIGHT or is_argued and word(line) not in DEADLY:
            continue
        if word(listed.get(name, "")) in RIGHT:
            yield f"lost: {name}: {line}"
        elif word(line) != "unsupported":
            yield f"wrong: {name}: {line}"
    for name in sorted(set(listed) - set(tests)):
        yield f"missing: {name}"


def check(suite, options):
    """Runs one suite and prints how it went; true when nothing is wrong or lost."""
    results = run(suite, options.adapter or f"cli:cmd={options.prog}", options.timeout)
    tests = {name: entry(record) for name, record in results.items()}
    listed = read_list(suite)
    found = list(problems(tests, listed, disputed()))
    if not listed and not options.bless:
        found.append(f"no list {os.path.basename(list_path(suite))}: make it with --bless")
    if options.bless:
        write_list(suite, tests)
    for problem in found:
        print("  " + problem)
    right = sum(word(line) in RIGHT for line in tests.values())
    gained = sum(word(line) in RIGHT and word(listed.get(name, "")) not in RIGHT for name, line in tests.items())
    note = f", {gained} more than listed" if listed and gained else ""
    print(f"{suite}: {right} of {len(tests)} right{note}, {len(found)} problems", flush=True)
    return not found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prog", default="target/release/tilewright", help="the program under test")
    parser.add_argument("--adapter", help="another adapter of run_suite, for example ort")
    parser.add_argument("--suite", action="append", choices=SUITES, help="only this suite (may be repeated)")
    parser.add_argument("--timeout", type=float, default=60, help="seconds for each test")
    parser.add_argument("--bless", action="store_true", help="rewrite the lists")
    options = parser.parse_args()
    if "TW_SHARED" not in os.environ:
        parser.error("set TW_SHARED to the folder that holds conform/")
    try:
        good = [check(suite, options) for suite in options.suite or SUITES]
    except subprocess.CalledProcessError as error:
        print(f"error: run_suite failed: exit {error.returncode}", file=sys.stderr)
        return 2
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
