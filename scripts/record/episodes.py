"""What the real verifiers makes of a folder of candor export, as JSON.

    episodes.py FOLDER

Its own models read the configuration and every episode; then, with the last
episode taken away from a copy, it tells what --resume would ask again.
"""

import inspect
import json
import shutil
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

folder = Path(sys.argv[1])
sys.path.insert(0, str(folder))

from verifiers.v1.cli.eval import resume
from verifiers.v1.configs.cli.eval import EvalConfig
from verifiers.v1.episode import WireEpisode
from verifiers.v1.utils.loaders import load_environment


def lost(was, now, at=""):
    """Where a value that was written is not what the model holds."""
    if isinstance(was, dict) and isinstance(now, dict):
        return [p for k, v in was.items() for p in (lost(v, now[k], f"{at}/{k}") if k in now else [f"{at}/{k}"])]
    if isinstance(was, list) and isinstance(now, list) and len(was) == len(now):
        return [p for i, v in enumerate(was) for p in lost(v, now[i], f"{at}/{i}")]
    return [] if was == now else [f"{at}: {was!r} became {now!r}"]


def resumed(at, tasks):
    """How many episodes --resume keeps, and how many it would ask."""
    if "tasks" in inspect.signature(resume.load).parameters:  # since 0.4.0
        plan = resume.load(at, tasks, 1)
        return sum(len(kept) for _, kept, _ in plan), sum(owed for _, _, owed in plan)
    kept, owed = resume.load(at, [task.hash for task in tasks], 1)
    return len(kept), sum(owed.values())


config = EvalConfig.model_validate_json((folder / "configs/eval.json").read_text())
gone = [p for p in lost(json.loads((folder / "configs/eval.json").read_text()), config.model_dump(mode="json"))]
episodes = []
for line in (folder / "traces.jsonl").open(encoding="utf-8", newline="\n"):
    episode = WireEpisode.model_validate_json(line)
    gone += lost(json.loads(line), episode.to_record())
    trace = episode.traces[0]
    episodes.append({
        "task": episode.task.data.task_id, "reward": trace.reward, "metrics": trace.metrics,
        "text": trace.nodes[-1].message.content, "tokens": trace.num_total_tokens,
    })
tasks = list(load_environment(config.env).taskset)
with tempfile.TemporaryDirectory() as part:
    kept = shutil.copytree(folder, Path(part) / "run") / "traces.jsonl"
    kept.write_bytes(b"".join(kept.read_bytes().splitlines(keepends=True)[:-1]))
    good, owed = resumed(kept.parent, tasks)
json.dump({"version": version("verifiers"), "lost": gone, "episodes": episodes, "kept": good, "owed": owed}, sys.stdout)
