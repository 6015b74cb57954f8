# SPDX-License-Identifier: Apache-2.0
"""Prints gcovr's summary by folder and the files that too few tests reach.

usage: coverage_report.py SUMMARY.json REASONS.txt

REASONS.txt holds lines `path: reason`; a path that ends in / speaks for all files below it. Exit code 1 where a file
below the limit has no reason, or where a reason is for a file that is not below it.
"""
import json
import sys
from collections import defaultdict

LIMIT_PERCENT = 80


def reasons_of(path):
    reasons = {}
    for line in open(path, encoding="utf-8"):
        if line.strip() and not line.startswith("#"):
            name, reason = line.split(":", 1)
            reasons[name.strip()] = reason.strip()
    return reasons


def reason_for(name, reasons):
    """The name that a reason is kept under: the file's own, or a folder's above it."""
    return next((key for key in reasons if key == name or (key.endswith("/") and name.startswith(key))), None)


def percent(covered, total):
    return 100 * covered / total if total else 100.0


def print_folders(files):
    sums = defaultdict(lambda: [0, 0, 0, 0])
    for file in files:
        parts = file["filename"].split("/")
        for folder in {"/".join(parts[:2]) if len(parts) > 2 else parts[0] + "/", "all"}:
            for i, key in enumerate(("line_covered", "line_total", "branch_covered", "branch_total")):
                sums[folder][i] += file[key]
    print(f"{'folder':<24} {'lines':>7} {'covered':>8} {'branches':>9} {'covered':>8}")
    for folder in sorted(sums, key=lambda name: (name == "all", name)):
        lines, all_lines, branches, all_branches = sums[folder]
        print(
            f"{folder:<24} {all_lines:>7} {percent(lines, all_lines):>6.1f} % {all_branches:>9} "
            f"{percent(branches, all_branches):>6.1f} %"
        )


def main():
    summary_path, reasons_path = sys.argv[1:]
    files = json.load(open(summary_path, encoding="utf-8"))["files"]
    reasons, used, without = reasons_of(reasons_path), set(), []
    print_folders(files)
    print(f"\nbelow {LIMIT_PERCENT} % of lines:")
    for file in sorted(files, key=lambda f: percent(f["line_covered"], f["line_total"])):
        part = percent(file["line_covered"], file["line_total"])
        if part >= LIMIT_PERCENT:
            continue
        key = reason_for(file["filename"], reasons)
        used.add(key)
        if key is None:
            without.append(file["filename"])
        print(f"{part:6.1f} %  {file['filename']}: {reasons.get(key, 'NO REASON')}")
    idle = [key for key in reasons if key not in used]
    for key in idle:
        print(f"{key}: its reason in {reasons_path} is no longer needed")
    if without:
        print(f"{len(without)} files have no reason in {reasons_path}: test them, or say why not")
    return 1 if without or idle else 0


if __name__ == "__main__":
    sys.exit(main())
