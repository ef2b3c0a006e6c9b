"""The environments of ours that openenv_server.py serves with OpenEnv 0.1.

There a server has one environment, which all who call share.
"""

import time
from dataclasses import dataclass
from typing import Any

from openenv_core.env_server import Action, Environment, Observation, State, create_fastapi_app


def application(name):
    match name:
        case "echo":
            return create_fastapi_app(Echo(), EchoAction, EchoObservation)
        case "trial":
            return create_fastapi_app(Trial(), TrialAction, TrialObservation)
    raise SystemExit(f"OpenEnv 0.1 has no {name} here")


@dataclass(kw_only=True)
class EchoAction(Action):
    message: str


@dataclass(kw_only=True)
class EchoObservation(Observation):
    echoed_message: str
    message_length: int = 0


class Echo(Environment):
    """Says what it is told."""

    def __init__(self):
        super().__init__()
        self._state = State()

    def reset(self):
        self._state = State(episode_id="echo-1", step_count=0)
        return EchoObservation(echoed_message="Echo environment ready!", reward=0.0)

    def step(self, action):
        self._state.step_count += 1
        said = action.message
        return EchoObservation(echoed_message=said, message_length=len(said), reward=len(said) * 0.1)

    @property
    def state(self):
        return self._state


@dataclass(kw_only=True)
class TrialAction(Action):
    do: str
    value: Any = None


@dataclass(kw_only=True)
class TrialObservation(Observation):
    did: str
    value: Any = None


class Trial(Environment):
    """Does what it is told, as far as 0.1 can tell of it."""

    def __init__(self):
        super().__init__()
        self._state = State()

    def reset(self):
        self._state = State(episode_id="trial-1", step_count=0)
        return TrialObservation(did="reset")

    def step(self, action):
        self._state.step_count += 1
        match action.do:
            case "show":
                return TrialObservation(did="show", value=action.value, reward=0.5)
            case "pay":
                return TrialObservation(did="pay", reward=action.value)
            case "finish":
                return TrialObservation(did="finish", done=True, reward=1)
            case "wait":
                time.sleep(action.value)
                return TrialObservation(did="wait")
        raise RuntimeError(action.value)

    @property
    def state(self):
        return self._state
