#!/usr/bin/env python3
"""The table that scripts/clock/stores.sh makes: rates, and the share of the sectors that leave the L1 cache.

    stores.py RATES LOG
"""
import csv
import json
import sys

LEFT = "l1tex__m_l1tex2xbar_write_sectors.sum"
STORED = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"


def number(text):
    return float(text.replace(",", ""))


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        table = json.load(file)
    with open(sys.argv[2], encoding="utf-8") as file:
        lines = file.read().splitlines()
    names = [line.rsplit(": ", 1)[0] for line in lines if " apart: " in line]
    launches = [row for row in csv.DictReader(line for line in lines if line.startswith('"')) if row["ID"].isdigit()]
    assert len(names) == len(launches), (len(names), len(launches))
    left = {name: number(row[LEFT]) / number(row[STORED]) for name, row in zip(names, launches)}
    table["columns"].append({"name": "leaves L1", "unit": "of the sectors"})
    for row in table["rows"]:
        row["values"].append(round(left[row["name"]], 3))
    head = json.dumps({key: table[key] for key in table if key != "rows"}, indent=1)[:-2]
    rows = ",\n".join("  " + json.dumps(row) for row in table["rows"])
    print(f'{head},\n "rows": [\n{rows}\n ]\n}}')


main()
