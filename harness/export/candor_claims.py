"""The tasks of an exported run as a verifiers taskset: what was asked, without images."""

import json
from pathlib import Path

import verifiers.v1 as vf

__all__ = ["ClaimsTaskset"]


class ClaimData(vf.TaskData):
    task_id: str
    split: str
    question_id: str
    image_source: str
    image_sha256: str
    claim: str
    label: str


class ClaimTask(vf.Task[ClaimData]):
    pass


class ClaimsTaskset(vf.Taskset[ClaimTask, vf.TasksetConfig]):
    def load(self):
        with (Path(__file__).parent / "tasks.jsonl").open(encoding="utf-8") as lines:
            for line in lines:
                yield ClaimTask(ClaimData.model_validate_json(line))
