"""Seconds and peak memory of reading raw files of a million rows, each in a fresh process."""

import argparse
import resource
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

ROWS, ITEMS, EACH = 1_000_000, 100, 500  # a person answers 500


def write(path: Path, header: str, row: str) -> None:
    """Write a raw file, in which every twentieth row of jsPsych is no question."""
    random = np.random.default_rng(0)
    with path.open("w") as file:
        file.write(header + "\n")
        for n in range(ROWS):
            a, b, c = (f"img/item_{k:03d}.png" for k in random.choice(ITEMS, 3, replace=False))
            cells = {"rt": 1000 + n % 777, "t": n % EACH, "elapsed": n % EACH * 3000 + n % 1000}
            text = row.format(**cells, person=n // EACH, a=a, b=b, c=c, side=n % 2)
            if "button" in text and n % 20 == 0:
                text = ",".join(
                    [*text.replace("button", "keyboard").split(",")[:-4], "", "", "", ""]
                )
            file.write(text + "\n")


def measure(path: str) -> None:
    """Read one file, and say what it took."""
    from resemblance import read_experiment

    began = time.process_time()
    experiment = read_experiment(path)
    seconds = time.process_time() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{Path(path).stem}: {len(experiment.judgments):,}, {seconds:.1f} s, {peak:.0f} MB")


def main() -> None:
    """Write the files, and read each of them in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--read")
    if file := parser.parse_args().read:
        return measure(file)
    with TemporaryDirectory() as folder:
        jspsych, plain = Path(folder, "jspsych.csv"), Path(folder, "plain.csv")
        write(
            jspsych,
            "rt,stimulus,trial_type,trial_index,time_elapsed,subject,head,left,right,response",
            "{rt},<p>which?</p>,html-button-response,{t},{elapsed},S{person:04d},{a},{b},{c},{side}",
        )
        write(plain, "head,near,far,observer,rt_ms", "{a},{b},{c},S{person:04d},{rt}")
        for path in (jspsych, plain):
            subprocess.run([sys.executable, __file__, "--read", str(path)], check=True)
    return None


if __name__ == "__main__":
    main()
