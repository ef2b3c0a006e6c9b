"""The environments of ours that openenv_server.py serves with OpenEnv 0.2 and newer."""

import time
from typing import Any

from fastmcp import FastMCP
from openenv.core.env_server import Action, Environment, Observation, State
from openenv.core.env_server.mcp_environment import MCPEnvironment
from openenv.core.env_server.mcp_types import CallToolAction, CallToolObservation
from pydantic import BaseModel


def echo():
    return Echo, CallToolAction, CallToolObservation


def trial():
    return Trial, TrialAction, TrialObservation


class Echo(MCPEnvironment):
    """Two tools that say what they are told."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        tools = FastMCP("echo_env")

        @tools.tool
        def echo_message(message: str) -> str:
            """Say the message again."""
            return message

        @tools.tool
        def echo_with_length(message: str) -> dict:
            """Say the message again, and how long it is."""
            return {"message": message, "length": len(message)}

        super().__init__(tools)
        self._state = State(episode_id=None, step_count=0)

    def reset(self, seed=None, episode_id=None, **kwargs):
        self._state = State(episode_id=episode_id or "echo-1", step_count=0)
        return Observation(
            done=False, reward=0.0,
            metadata={"status": "ready", "message": "Echo environment ready!"})

    def step(self, action, timeout_s=None, **kwargs):
        self._state.step_count += 1
        return super().step(action, timeout_s=timeout_s, **kwargs)

    async def step_async(self, action, timeout_s=None, **kwargs):
        self._state.step_count += 1
        return await super().step_async(action, timeout_s=timeout_s, **kwargs)

    def _step_impl(self, action, timeout_s=None, **kwargs):
        return Observation(done=False, reward=0.0, metadata={"error": "only tools can be called"})

    @property
    def state(self):
        return self._state


class TrialAction(Action):
    """What to do, and with what."""

    do: str
    value: Any = None


class TrialObservation(Observation):
    """What an action led to."""

    did: str = ""
    value: Any = None


class Trial(Environment):
    """Does what it is told, so that everything a server can say is said."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        super().__init__()
        self._state = State(episode_id=None, step_count=0)

    def reset(self, seed=None, episode_id=None, **kwargs):
        if "fail" in kwargs:
            raise RuntimeError(kwargs["fail"])
        self._state = State(episode_id=episode_id, step_count=0)
        return TrialObservation(did="reset", value={"seed": seed, **kwargs})

    def step(self, action, timeout_s=None, **kwargs):
        self._state.step_count += 1
        value = action.value
        match action.do:
            case "show":
                return TrialObservation(did="show", value=value, reward=0.5)
            case "pay":
                return TrialObservation(did="pay", reward=value)
            case "nothing-finite":
                return TrialObservation(did="pay", value=float("nan"), reward=float(value))
            case "finish":
                return TrialObservation(did="finish", done=True, reward=1)
            case "annotate":
                return TrialObservation(did="annotate", reward=1.0, metadata=value)
            case "long":
                return TrialObservation(did="long", value="x" * value)
            case "wait":
                time.sleep(value)
                return TrialObservation(did="wait")
            case "raise":
                raise RuntimeError(value)
            case "raise-validation":
                Narrow(number=value)
            case "raise-value":
                raise ValueError(value)
        raise KeyError(action.do)

    @property
    def state(self):
        return self._state


class Narrow(BaseModel):
    """Refuses what is no number."""

    number: int
