#!/usr/bin/env python3
"""What an H200's profiler says of the kernels on the book's page of profiler quantities, from the committed table.

    scripts/ncu/page.py > book/results/nvidia-h200/tables/profiler.json
"""
import csv
import json
import os

HERE = os.path.dirname(os.path.abspath(__file__))
TABLE = os.path.join(HERE, "../../tests/e2e/hardware/h200.csv")

# A column: its name in the book's table, and the profiler's metric or metrics that add up to it.
COLUMNS = {
    "warps": ["smsp__warps_launched.sum"],
    "requests": ["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"],
    "sectors": ["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"],
    "bytes": ["smsp__sass_data_bytes_mem_global_op_ld.sum"],
    "wavefronts": ["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"],
    "conflicts": ["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"],
    "local": ["smsp__inst_executed_op_local_ld_pred_on_any.sum"],
    "reductions": ["l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"],
    "doubles": [
        "smsp__sass_thread_inst_executed_op_dadd_pred_on.sum",
        "smsp__sass_thread_inst_executed_op_dmul_pred_on.sum",
        "smsp__sass_thread_inst_executed_op_dfma_pred_on.sum",
    ],
    "divergent": ["smsp__sass_branch_targets_threads_divergent.sum"],
}
ROWS = [
    "two-elements/baseline", "two-elements/solution",
    "coefficients/baseline", "coefficients/solution",
    "wide-loads/baseline", "wide-loads/solution",
    "ex84/baseline", "ex84/solution",
    "reduction/strided", "reduction/sequential",
    "sequential-addressing/baseline", "sequential-addressing/solution",
    "local-array/baseline", "local-array/solution",
    "atomics/baseline", "atomics/solution",
    "double-literal/baseline", "double-literal/solution",
    "trip-counts/baseline", "trip-counts/solution",
]


def main():
    with open(TABLE, encoding="utf-8") as file:
        head = file.readline().lstrip("# ").strip().replace(",ncu", ", ncu")
        rows = {row["version"]: row for row in csv.DictReader(file)}
    values = [
        {"name": name, "values": [sum(int(rows[name][metric]) for metric in metrics) for metrics in COLUMNS.values()]}
        for name in ROWS
    ]
    device, driver, profiler = [part.strip() for part in head.split(",", 2)]
    table = {
        "schema": 1, "title": "What the profiler counts", "device": f"{device}, driver {driver}", "compiler": profiler,
        "date": "2026-11-22", "command": "scripts/ncu.sh", "row": "kernel",
        "columns": [{"name": name} for name in COLUMNS], "rows": values,
    }
    print(json.dumps(table, indent=1))


if __name__ == "__main__":
    main()
