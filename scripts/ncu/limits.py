#!/usr/bin/env python3
"""The table that scripts/ncu/limits.sh makes of the profiler's log: a row for each launch of limits.cu.

    limits.py metrics KNOWN              the metrics to ask for, of those in the file KNOWN
    limits.py table LOG DEVICE PROFILER  the table
"""
import csv
import datetime
import json
import sys

# A column: its name in the book's table, its unit, and the profiler's metrics that add up to it.
COLUMNS = [
    ("time", "us", ["gpu__time_duration.sum"], 1e-3),
    ("issue slots busy", "%", ["smsp__issue_active.avg.pct_of_peak_sustained_active"], 1),
    ("ALU", "%", ["sm__inst_executed_pipe_alu.avg.pct_of_peak_sustained_active"], 1),
    ("LSU", "%", ["sm__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active"], 1),
    ("L1", "%", ["l1tex__throughput.avg.pct_of_peak_sustained_active"], 1),
    ("L1 tags", "%", ["l1tex__lsuin_requests.avg.pct_of_peak_sustained_active"], 1),
    ("L1 data", "%", ["l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_active"], 1),
    ("L1 hits", "%", ["l1tex__t_sector_hit_rate.pct"], 1),
    ("L2", "%", ["lts__throughput.avg.pct_of_peak_sustained_elapsed"], 1),
    ("DRAM", "%", ["dram__throughput.avg.pct_of_peak_sustained_elapsed"], 1),
    ("warps", "%", ["sm__warps_active.avg.pct_of_peak_sustained_active"], 1),
    ("local loads", "", ["smsp__inst_executed_op_local_ld_pred_on_any.sum"], 1),
    ("local stores", "", ["smsp__inst_executed_op_local_st_pred_on_any.sum"], 1),
    ("local sectors", "", ["l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"], 1),
    ("global sectors", "", ["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"], 1),
    ("L2 sectors", "", ["lts__t_sectors.sum"], 1),
    ("DRAM bytes", "", ["dram__bytes_read.sum", "dram__bytes_write.sum"], 1),
    ("waits for a load", "", ["smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio"], 1),
    ("waits for the LSU", "", ["smsp__average_warps_issue_stalled_lg_throttle_per_issue_active.ratio"], 1),
]


def metrics(known):
    with open(known, encoding="utf-8") as file:
        names = {line.strip() for line in file}
    for _, _, wanted, _ in COLUMNS:
        for metric in wanted:
            if metric.split(".")[0] in names:
                yield metric
            else:
                print(f"unknown here: {metric}", file=sys.stderr)


def number(text):
    return float(text.replace(",", ""))


def table(log, device, profiler):
    with open(log, encoding="utf-8") as file:
        lines = file.read().splitlines()
    names = [line for line in lines if "/" in line and line.split("/")[-1] in ("baseline", "solution")]
    launches = [row for row in csv.DictReader(line for line in lines if line.startswith('"')) if row["ID"].isdigit()]
    assert len(names) == len(launches), (names, len(launches))
    columns = [column for column in COLUMNS if all(metric in launches[0] for metric in column[2])]
    name, driver = [part.strip() for part in device.split(",", 1)]
    print(json.dumps({
        "schema": 1, "title": "What limits them", "device": f"{name}, driver {driver}", "compiler": profiler,
        "date": datetime.date.today().isoformat(), "command": "scripts/ncu/limits.sh", "row": "kernel",
        "columns": [{"name": column[0]} | ({"unit": column[1]} if column[1] else {}) for column in columns],
        "rows": [
            {"name": name, "values": [round(sum(number(launch[metric]) for metric in column[2]) * column[3], 3) for column in columns]}
            for name, launch in zip(names, launches)
        ],
    }, indent=1))


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "metrics":
        print(",".join(metrics(sys.argv[2])))
    elif len(sys.argv) == 5 and sys.argv[1] == "table":
        table(*sys.argv[2:])
    else:
        sys.exit(__doc__)
