#!/usr/bin/env python3
"""How many single-file samples of NVIDIA's cuda-samples run with `//@` lines alone.

    scripts/own/samples.py CHECKOUT [--made] [--checker FILE] [--only TEXT] [--log DIR]

A single-file sample is a folder with exactly one .cu file. That file and the headers beside it are copied to a temporary folder with
the lines of samples.toml on top, or, where it has none, with those that the checker makes, and `checker run` is asked. `--made` takes
the checker's lines everywhere. CHECKOUT is a working tree of https://github.com/NVIDIA/cuda-samples. The lines in samples.toml are ours.
"""
import argparse
import collections
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
HEADERS = {".h", ".hpp", ".cuh", ".inl", ".inc"}
RUN = ["--backend", "sim", "--seed", "7", "--limit", "60"]


def singles(checkout):
    """The single-file samples, as (name, file)."""
    folders = collections.defaultdict(list)
    for file in sorted(checkout.glob("Samples/**/*.cu")):
        folders[file.parent].append(file)
    return [(str(folder.relative_to(checkout / "Samples")), files[0]) for folder, files in folders.items() if len(files) == 1]


def copied(file, folder):
    """The file and the headers beside it and below, in another folder."""
    for header in file.parent.rglob("*"):
        if header.is_file() and header.suffix in HEADERS:
            target = folder / header.relative_to(file.parent)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(header, target)
    return folder / file.name


def asked(checker, file, arguments):
    run = [checker, "run", file.name, *arguments]
    return subprocess.run(run, cwd=file.parent, capture_output=True, text=True, timeout=300, errors="replace")


def judged(ran):
    """(finished, findings or refused; what a line says of it)"""
    try:
        report = json.loads(ran.stdout)
        verdict, reasons = report["verdict"], report["reasons"]
    except (ValueError, KeyError):
        return "refused", next(iter(ran.stderr.strip().splitlines()), f"status {ran.returncode}")
    if verdict == "finished":
        return "finished", ""
    reason = reasons[0] if reasons else {"text": "", "details": []}
    said = " ".join(f"{verdict}: {reason['text']} {' '.join(reason['details'][:1])}".split())
    refused = verdict in ("does-not-compile", "bad-launch", "bad-kernel-file", "unsupported")
    return ("refused" if refused else "findings"), said


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("checkout", type=pathlib.Path)
    parser.add_argument("--made", action="store_true", help="with the lines that the checker makes")
    parser.add_argument("--checker", default=str(HERE.parents[1] / "target/release/checker"))
    parser.add_argument("--only", default="", help="samples whose name has this text")
    parser.add_argument("--log", type=pathlib.Path, help="a folder for what is said of each")
    args = parser.parse_args()
    lines = tomllib.loads((HERE / "samples.toml").read_text(encoding="utf-8"))
    samples = singles(args.checkout)
    for name in lines.keys() - {name for name, _ in samples}:
        print(f"samples.toml: no single-file sample `{name}` here", file=sys.stderr)
    totals = collections.Counter()
    for name, original in samples:
        if args.only not in name:
            continue
        text = original.read_text(encoding="utf-8", errors="replace")
        with tempfile.TemporaryDirectory() as folder:
            file = copied(original, pathlib.Path(folder))
            file.write_text(text, encoding="utf-8")
            mine = "" if args.made else lines.get(name, "")
            if not mine:
                said = asked(args.checker, file, RUN).stderr.splitlines()
                mine = "\n".join(line for line in said if line.startswith("//@"))
            file.write_text(f"{mine.strip()}\n{text}", encoding="utf-8")
            if mine.strip():
                ran = asked(args.checker, file, [*RUN, "--json"])
                outcome, said = judged(ran)
            else:
                ran = None
                outcome, said = ("no kernel", "") if "__global__" not in text else ("no lines", "")
        totals[outcome] += 1
        print(f"{outcome:9}  {name}  {said[:150]}", flush=True)
        if args.log:
            args.log.mkdir(parents=True, exist_ok=True)
            told = f"{ran.stdout}\n{ran.stderr}" if ran else ""
            (args.log / f"{name.replace('/', '_')}.txt").write_text(f"{mine}\n{told}", encoding="utf-8")
    print(f"{sum(totals.values())} samples:", ", ".join(f"{count} {what}" for what, count in totals.most_common()))


main()
