"""Candor's environment `selective` as a verifiers v1 taskset that shows the model the image.

verifiers' own `openenv` taskset plays any OpenEnv server, Candor's among them, but
sends each observation as text: an image in it is a very long text to the model, and
nothing that it sees. This one knows the environment: it makes a message with an image
part, and hands the reply back as the model wrote it, together with its reasoning and
with whether it was cut off, so that it is judged as `candor eval` judges one.

    candor serve --env selective                       # http://127.0.0.1:8000
    python3 -m venv env && env/bin/pip install -r scripts/verifiers/requirements.txt
    PATH=$PWD/env/bin:$PATH PYTHONPATH=scripts/verifiers vf-eval candor_selective \\
        --env.taskset.episodes 100 --model MODEL --client.base-url http://127.0.0.1:11434/v1 \\
        --client.api-key-var NONE --sampling.reasoning-effort none --no-push

The client is any OpenAI-compatible endpoint that takes images; that above is Ollama's,
which lets a model think unless told `none`, and NONE is the name of a variable that
need not exist. `--env.taskset.` has also
`base-url`, `first-seed`, and `partition`, which is refused unless the server serves it:
train on train. Sampling is verifiers' (`--sampling.temperature 0.7`); what the endpoint
takes beside it goes the same way: to hold a model to the answer's form as `candor eval`
does, put a JSON schema into `response_format` of a configuration file.

An episode is one claim about one image, or as many as the server was told to ask
(`--claims-per-episode`); the image is then in the first message only. The reward
`candor_reward` is the mean over the episode's claims, and so are the metrics, the seven
indicators of Candor's traces; `info.candor` holds what became of each answer, with the
label. A server with `--token` cannot be played: openenv's client sends none.

The model's requests are made by verifiers' `null` harness in a process on this machine
(`--env.player.` changes both); it installs what it needs with uv when it first runs.
"""

from collections.abc import Iterator
from typing import Any

import verifiers.v1 as vf
from openenv import GenericEnvClient
from verifiers.v1.runtimes import SubprocessConfig

__all__ = ["SelectiveConfig", "SelectiveEnv", "SelectiveEnvConfig", "SelectiveTask", "SelectiveTaskset"]

INDICATORS = ("answered", "abstained", "malformed", "correct", "confidence_sum", "brier_sum", "needed_repair")


class SelectiveData(vf.TaskData):
    base_url: str
    seed: int
    partition: str | None


class SelectiveTask(vf.Task[SelectiveData]):
    pass


class SelectiveConfig(vf.TasksetConfig):
    base_url: str = "http://127.0.0.1:8000"
    """Where `candor serve --env selective` listens."""
    episodes: int = 100
    """How many tasks: one for each seed from `first_seed` on."""
    first_seed: int = 0
    """Seeds beyond the number of the server's episodes begin with the first again."""
    partition: str | None = None
    """What the tasks must be from (train, eval or all); None takes what is served."""


class SelectiveTaskset(vf.Taskset[SelectiveTask, SelectiveConfig]):
    def load(self) -> Iterator[SelectiveTask]:
        for idx in range(self.config.episodes):
            seed = self.config.first_seed + idx
            data = SelectiveData(
                idx=idx, name=f"selective#{seed}", prompt=None,
                base_url=self.config.base_url, seed=seed, partition=self.config.partition,
            )
            yield SelectiveTask(data, self.config.task)


class SelectiveEnvConfig(vf.EnvConfig):
    player: vf.AgentConfig = vf.AgentConfig(harness={"id": "null"}, runtime=SubprocessConfig())


class SelectiveEnv(vf.Env[SelectiveEnvConfig]):
    async def run(self, task, agents):
        data, paid, told, claims = task.data, 0.0, [], 0
        client = GenericEnvClient(base_url=data.base_url)
        async with client:
            wishes = {"partition": data.partition} if data.partition else {}
            result = await client.reset(seed=data.seed, image="data", **wishes)
            claims = result.observation["claims"]
            async with agents.player.interaction(task) as interaction:
                segment = await interaction.turn(question(result.observation))
                while not segment.terminated:
                    result = await client.step(answer(segment, interaction.trace))
                    paid += result.reward
                    told.append(metadata(result))
                    if result.done:
                        break
                    segment = await interaction.turn(question(result.observation))
        trace = interaction.trace
        trace.record_reward("candor_reward", paid / claims)
        told = told[-1].pop("episode", told) if told else told
        trace.record_metrics({name: sum(t.get(name, 0) for t in told) / claims for name in INDICATORS})
        trace.info["candor"] = told


def question(observation: dict[str, Any]) -> list[dict[str, Any]]:
    """The messages that ask a claim. The first also tells the rules and shows the image."""
    text = {"type": "text", "text": observation["prompt"]}
    if observation["claim_number"] > 1:
        return [{"role": "user", "content": [text]}]
    image = {"type": "image_url", "image_url": {"url": observation["image"]}}
    messages = [{"role": "user", "content": [image, text]}]
    if observation["instructions"] != observation["prompt"]:
        messages.insert(0, {"role": "system", "content": observation["instructions"]})
    return messages


def answer(segment: vf.Segment, trace: vf.Trace) -> dict[str, Any]:
    """The action: the reply as it is, an empty one too, which is the model's answer."""
    said = segment.messages[-1] if segment.messages else None
    action = {"answer": (said.content if said else None) or ""}
    if said is not None and getattr(said, "reasoning_content", None):
        action["thinking"] = said.reasoning_content
    if trace.calls and trace.calls[-1].finish_reason == "length":
        action["done_reason"] = "length"
    return action


def metadata(result) -> dict[str, Any]:
    """What became of the answer. Older clients show it in the last observation only."""
    return getattr(result, "metadata", None) or result.observation.get("metadata") or {}
