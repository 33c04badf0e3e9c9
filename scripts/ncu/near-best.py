#!/usr/bin/env python3
"""The book's tables of what limits some solutions, from what scripts/near-best.sh wrote.

    scripts/ncu/near-best.py OUT

Writes near-best.json, sgemm.json and dispatch.json in book/results/nvidia-h200/tables.
"""
import csv
import gzip
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
RESULTS = os.path.join(HERE, "../../book/results/nvidia-h200")

# A launch of the profiled program, in order; None: the second launch of the row before.
LAUNCHES = [
    "ex74/solution", "ex74/sixteen", "ex74/parts", None, "ex77/solution", "ex77/two_rounds", "ex77/eight_ahead", "ex78/solution",
    "ex78/all_rows", "ex78/four_wide", "sgemm/8x8", "sgemm/cublas",
]
STALL = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
# Columns of the profiler's: a name, a unit, the metric and what it is multiplied by.
ISSUE = ("issue slots", "%", "smsp__issue_active.avg.per_cycle_active", 100)
WARPS = ("warps", "%", "sm__warps_active.avg.pct_of_peak_sustained_active", 1)
MEMORY = ("long scoreboard", "", STALL.format("long_scoreboard"), 1)
OTHERS = [ISSUE, WARPS, MEMORY]
PRODUCT = [
    ("registers", "", "launch__registers_per_thread", 1),
    WARPS,
    ("instructions", "million", "smsp__inst_executed.sum", 1e-6),
    ISSUE,
    ("dispatch stall", "", STALL.format("dispatch_stall"), 1),
    ("barrier", "", STALL.format("barrier"), 1),
]


def number(text):
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def profiled(folder):
    """The metrics of each row's first launch, by the profiler's names."""
    with open(os.path.join(folder, "ncu.csv"), encoding="utf-8") as file:
        lines = [line for line in file if line.startswith('"')]
    rows = list(csv.DictReader(lines))[1:]           # the first one has units
    return dict((name, row) for name, row in zip(LAUNCHES, rows[-len(LAUNCHES):]) if name)


def dispatched(folder):
    """FFMA of the product of matrices that have an operand in common with the FFMA just before, in the same place, and those
    that have none: how many, and the samples of a dispatch stall for each."""
    groups = {True: [0, 0], False: [0, 0]}
    with gzip.open(os.path.join(folder, "lines.csv.gz"), "rt", encoding="utf-8", newline="") as file:
        kernel, head, before, listed = "", None, [], set()
        for row in csv.reader(file):
            if row and row[0] == "Kernel Name":
                if kernel:
                    listed.add(kernel)
                kernel, head = row[1], None
            elif row and head is None:
                head = row if "Source" in row else None
            elif row and "product<" in kernel and kernel not in listed:
                line = dict(zip(head, row))
                found = re.match(r"\s*FFMA \S+, (\S+), (\S+), (\S+)$", line["Source"])
                operands = list(found.groups()) if found else []
                if found:
                    group = groups[any(a == b for a, b in zip(operands, before))]
                    group[0] += 1
                    group[1] += int(line["stall_dispatch"] or 0)
                before = operands
    return {("one operand of the FFMA before" if kept else "none of them"): group for kept, group in groups.items()}


def roof(problem):
    with open(os.path.join(RESULTS, f"{problem}.json"), encoding="utf-8") as file:
        return json.load(file)["roof"]["value"]


def write(name, title, row, columns, rows, device):
    machine, driver, profiler, date = [part.strip() for part in device.split(",")]
    table = {
        "schema": 1, "title": title, "device": f"{machine}, driver {driver}", "compiler": profiler, "date": date,
        "command": "scripts/near-best.sh", "row": row,
        "columns": [{"name": name, "unit": unit} if unit else {"name": name} for name, unit in columns],
        "rows": [{"name": name, "values": values} for name, values in rows],
    }
    with open(os.path.join(RESULTS, "tables", f"{name}.json"), "w", encoding="utf-8") as file:
        json.dump(table, file, indent=1, ensure_ascii=False)
        file.write("\n")


def main():
    folder = sys.argv[1]
    with open(os.path.join(folder, "times.csv"), encoding="utf-8") as file:
        times = {row["kernel"]: row for row in csv.DictReader(file)}
    with open(os.path.join(folder, "device.txt"), encoding="utf-8") as file:
        device = file.read().strip()
    counters = profiled(folder)

    def counted(name, columns):
        return [round(scale * number(counters[name][metric]), 2) for _, _, metric, scale in columns]

    def heads(columns):
        return [(name, unit) for name, unit, _, _ in columns]

    exercises, products = [], []
    for name, row in times.items():
        problem, version = name.split("/")
        us = float(row["us"])
        if problem == "sgemm":
            products.append((version, counted(name, PRODUCT)))
        else:
            share = round(100 * float(row["gb_per_s"]) / roof(problem), 1)
            exercises.append((re.sub("[/_]", " ", name), [round(us, 1), share, *counted(name, OTHERS)]))
    write("near-best", "What limits three solutions", "kernel", [("time", "µs"), ("roof", "%"), *heads(OTHERS)], exercises, device)
    write("sgemm", "Two products of 4096 x 4096 matrices", "kernel", heads(PRODUCT), products, device)
    groups = [(name, [count, round(samples / count, 1)]) for name, (count, samples) in dispatched(folder).items()]
    write("dispatch", "Dispatch stalls of product<64>, sampled", "operands", [("FFMA", ""), ("samples per FFMA", "")], groups, device)


if __name__ == "__main__":
    main()
