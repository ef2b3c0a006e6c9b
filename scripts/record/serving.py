"""Records what OpenEnv's own server answers: usage serving.py OUT.json.

The server runs in this process's child, with an environment of every kind of
field, and is asked what clients ask and what they should not. A recording is a
list of conversations; harness/openenv holds the same conversations with its own
server and compares.
"""

import base64
import json
import socket
import subprocess
import sys
import time
from typing import Literal, Optional

import requests
from openenv.core.env_server.http_server import create_fastapi_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect


class ProbeAction(Action):
    values: list[int] = Field(default_factory=list)
    name: str = Field(min_length=1, max_length=5)
    n: int = Field(default=0, ge=0, le=10)
    ratio: float = 0.5
    flag: bool = False
    kind: Literal["a", "b"] = "a"
    opt: Optional[int] = None


class ProbeObservation(Observation):
    asked: str = ""
    given: dict = Field(default_factory=dict)


class Probe(Environment):
    """Echoes what it was asked, or does as the action's name says."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        super().__init__()
        self._state = State(episode_id=None, step_count=0)

    def reset(self, seed=None, episode_id=None, task=None):
        self._state = State(episode_id=episode_id, step_count=0)
        return ProbeObservation(asked=json.dumps([seed, task]))

    def step(self, action):
        self._state.step_count += 1
        if action.name == "boom":
            raise RuntimeError("boom!")
        if action.name == "nan":
            return ProbeObservation(asked="é\x01\u2028", reward=float("nan"))
        if action.name == "meta":
            return ProbeObservation(reward=1, metadata={"a": 1})
        if action.name == "true":
            return ProbeObservation(reward=True, done=True)
        return ProbeObservation(given=action.model_dump(exclude_unset=True), reward=action.ratio, done=True)

    @property
    def state(self):
        return self._state


def app():
    return create_fastapi_app(Probe, ProbeAction, ProbeObservation, max_concurrent_envs=2, env_name="probe")


STEPS = [
    {"name": "a"}, {"name": "meta"}, {"name": "nan"}, {"name": "boom"}, {"name": "true"},
    {"name": "", "n": "3", "bogus": 1, "values": ["1", "x", 1.5, 2.0, True, None, "2.0", " 7 "], "ratio": "x", "flag": "maybe", "kind": "c", "opt": "q"},
    {"name": "toolong", "n": 11, "values": "abc", "ratio": "1e3", "flag": "yes", "opt": None},
    {"name": 5, "n": -1, "values": {}, "ratio": True, "flag": 1, "kind": 1, "metadata": 5},
    {"name": "a", "n": 99999999999999999999999, "values": [1e3, "99999999999999999999"], "flag": 2.0},
    {"name": "a", "n": "abc", "ratio": None, "flag": None, "kind": None, "values": None, "metadata": None},
    {"name": "a", "n": "", "flag": "2"}, {"type": "list_tools"}, {}, {"name": "a", "metadata": {"x": 1}},
    *[{"name": "a", "n": n} for n in ("1.0", "+7", "1_0", " 7 ", "0x7", "-0", "007", "1e2", "１", ".5", "1.", "1.00", "1.5", "--1", 1.0, -0.0, True, [], {})],
    *[{"name": "a", "ratio": r} for r in ("1_0", " 1.5 ", ".5", "5.", "0x1p3", "", "1e-3", [], False)],
    *[{"name": "a", "flag": f} for f in ("ON", "t", "Y", "1", "off", "False", "n", 0, 1.0, 0.0, 5, [], "")],
    *[{"name": "a", "opt": o} for o in (None, 5, "5", "x", {}, 1.5)],
]
MALFORMED = [
    "", " ", "{", '{"type":"reset"', '{"type":"reset",}', "nonsense", '{"a":1}{"b":2}', '\ufeff{"type":"reset"}', "{'a':1}", '{"a":"\n"}',
    '{"a" 1}', '{"a":}', "{1:2}", '{"a":1 "b":2}', "[1 2]", '"abc', '{"a":"\\x"}', '{"a":"\\u12"}', '{"a":"\\u12', '{"a":"\\', "\n\n  {\"a\":tru}",
    '{"é":tru}', "[", "[1", "[1,", "[1,]", "01", "-", "1.", "1e", '{"a":1,', '{"a', '{"a":', '{"type":"reset"} x', "🙂", '["🙂",x]', "nul", "+1", ".5",
]
SESSION = [
    '{"type":"reset"}', '{"type":"reset","data":{"seed":7,"episode_id":"e","task":"y","zzz":1}}', ' {"type": "reset", "data": {}} ',
    '{"type":"reset","data":5}', '{"type":"reset","data":null}', '{"type":"reset","data":{},"x":1,"request_id":"q"}',
    '{"type":"reset","data":{"seed":18446744073709551616}}', '{"type":"reset","data":{"seed":-3}}', '{"type":"reset","data":{"seed":null,"episode_id":null}}',
    '{"type":"step"}', '{"type":"step","data":[]}', '{"type":"step","data":"x"}', '{"type":"state","data":{}}', '{"type":"close","data":{}}',
    '{"type":"nope"}', "{}", '{"type":null}', '{"type":5}', '{"type":true}', '{"type":[1]}', '{"type":{"a":1}}', '{"type":1.50}', '{"type":"x\\ny\\u00e9"}', '{"type":""}', '{"type":"RESET"}',
    '{"type":"reset","type":"state"}', '{"type":"state"}',
    '{"type":"mcp"}', '{"type":"mcp","data":{}}', '{"type":"mcp","data":5}', '{"type":"mcp","data":{"jsonrpc":"2.0","method":"tools/list","id":1}}',
    '{"type":"mcp","data":{"jsonrpc":"2.0","method":"openenv/session/close","params":{"session_id":"q"},"id":1}}',
    '{"type":"mcp","data":{"jsonrpc":"2.0","method":"x","id":"q"}}', '{"type":"mcp","data":{"jsonrpc":"1.0","method":5,"params":[],"id":1.5,"z":1}}',
    '{"type":"mcp","data":{"jsonrpc":"2.0","method":"tools/call","id":1}}', '{"type":"mcp","data":{"jsonrpc":"2.0","method":"tools/call","params":{"name":"x"},"id":1}}',
]
BODIES_RESET = [
    "", "{}", '{"seed":"7"}', '{"seed":1.5}', '{"seed":-1}', '{"seed":"abc"}', '{"seed":2.0}', '{"seed":true}', '{"seed":null}', '{"seed":99999999999999999999}', '{"episode_id":5}',
    '{"episode_id":"' + "x" * 256 + '"}', '{"episode_id":"' + "x" * 255 + '"}', "[]", "5", "null", "{", '{"task":5,"q":1}', '"x"', " ", '{"seed":[],"episode_id":null}', '{"seed":1,}', '\n{"a":tru}', '{"seed":1} x',
    '{"seed":"1.0"}', '{"seed":"+7"}', '{"seed":"0x7"}', '{"seed":"-0"}', '{"seed":1e2}', '\ufeff{"seed":3}',
]
BODIES_STEP = [
    "", "{}", '{"action":5}', '{"action":{}}', '{"action":{"name":"a","n":11}}', '{"action":{"name":"a"}}', '{"action":{"name":"boom"}}', '{"action":{"name":"nan"}}', '{"action":{"name":"meta"}}', '{"action":{"name":"true"}}',
    '{"action":{"name":"a"},"timeout_s":0}', '{"action":{"name":"a"},"timeout_s":"x","request_id":5}', '{"action":{"name":"a"},"timeout_s":1,"request_id":"q","u":1}', '{"action":null}', "[]", "null", '{"a":1,}',
    '{"action":{"name":"a"},"timeout_s":true}', '{"action":{"name":"a"},"request_id":"' + "x" * 256 + '"}', '{"action":{"name":"a","n":"7","flag":"on","ratio":"1_0"}}',
]
RPC = [
    "", "{}", "[]", "5", "{", '{"jsonrpc":"2.0","method":"tools/list"}', '{"jsonrpc":"2.0","method":"tools/list","params":{"session_id":"q"},"id":3}', '{"jsonrpc":"2.0","method":"openenv/session/close","params":{},"id":3}',
    '{"jsonrpc":"2.0","method":"openenv/session/close","params":{"session_id":"q"},"id":3}', '{"jsonrpc":"2.0","method":"tools/call","params":{},"id":3}', '{"jsonrpc":"2.0","method":"tools/call","params":{"name":""},"id":3}',
    '{"jsonrpc":"2.0","method":"initialize","params":{},"id":3}', '{"jsonrpc":"2.0","method":"x","params":[],"id":3}', '{"jsonrpc":"2.0","method":"x","params":null,"id":true}', '{"jsonrpc":"2.0","method":"x","id":1.0}',
    '{"jsonrpc":"2.0","method":"x","id":"a"}', '{"jsonrpc":"2.0","method":"x","id":[]}', '{"jsonrpc":"2.0","method":"x","id":"' + "y" * 80 + '","q":"' + "z" * 80 + '"}', '{"jsonrpc":"2.0","method":"é","id":null}',
]
GETS = [
    ("GET", "/state"), ("GET", "/health"), ("GET", "/metadata"), ("GET", "/ws"), ("GET", "/"), ("GET", "/web"), ("GET", "/reset"), ("POST", "/health"), ("POST", "/state"), ("GET", "/mcp"), ("PUT", "/mcp"),
    ("HEAD", "/health"), ("OPTIONS", "/health"), ("GET", "/health/"), ("GET", "/list_environments"), ("GET", "/probe/splits"), ("GET", "/PROBE/splits"), ("GET", "/other/splits"), ("GET", "/probe/tasks"),
    ("GET", "/nope/"), ("DELETE", "/reset"), ("POST", "/ws"), ("GET", "/schema"),
]
TASKS = [("/probe/tasks", "{}"), ("/probe/tasks", '{"split":5}'), ("/probe/tasks", '{"split":"a"}'), ("/probe/tasks", '{"split":"a","x":1}'), ("/probe/num_tasks", '{"split":"a"}'), ("/probe/task", '{"split":"a"}'), ("/probe/task", '{"split":"a","index":1}'), ("/probe/task_range", '{"split":"a"}'), ("/other/tasks", '{"split":"a"}')]


def converse(base, path, frames):
    """What each frame is answered; an answer of null and a code where the server closes."""
    turns = []
    with connect(f"ws://{base}{path}", max_size=None) as client:
        for frame in frames:
            turn = {"binary": base64.b64encode(frame).decode()} if isinstance(frame, bytes) else {"send": frame}
            turns.append(turn)
            try:
                client.send(frame)
                turn["reply"] = client.recv(timeout=10)
            except ConnectionClosed as closed:
                turn["closed"] = closed.rcvd.code
                return {"path": path, "turns": turns}
        if turns[-1].get("reply", "").find("SESSION_ERROR") > 0 or "-32000" in turns[-1].get("reply", ""):
            try:
                client.recv(timeout=10)
            except ConnectionClosed as closed:
                turns.append({"closed": closed.rcvd.code})
    return {"path": path, "turns": turns}


def ask(base, method, path, body=None, kind="application/json"):
    headers = {"Content-Type": kind} if kind and body is not None else {}
    answer = requests.request(method, f"http://{base}{path}", data=body.encode() if body is not None else None, headers=headers)
    return {"method": method, "path": path, "body": body, "kind": headers.get("Content-Type"), "status": answer.status_code,
            "answer": answer.text, "answer_kind": answer.headers.get("Content-Type", ""), "allow": answer.headers.get("Allow", "")}


def record(base):
    sockets = [converse(base, "/ws", SESSION + ['{"type":"close"}'])]
    sockets += [converse(base, "/ws", ['{"type":"reset","data":{"episode_id":"s"}}'] + [json.dumps({"type": "step", "data": s}) for s in STEPS] + ['{"type":"state"}', '{"type":"close"}'])]
    sockets += [converse(base, "/ws", MALFORMED + ['{"type":"state"}'])]
    sockets += [converse(base, "/ws", [f]) for f in ("[]", "5", '"x"', "null", "true", "1.5", b'{"type":"reset"}')]
    sockets += [converse(base, "/ws?x=1", ['{"type":"state"}'])]
    sockets += [converse(base, "/mcp", RPC[1:2] + RPC[4:] + ["", '{"a":tru}'])]
    with connect(f"ws://{base}/ws"), connect(f"ws://{base}/ws"):
        full = []
        for path in ("/ws", "/mcp"):
            with connect(f"ws://{base}{path}") as client:
                one = {"path": path, "full": True, "turns": [{"reply": client.recv(timeout=10)}]}
                try:
                    client.recv(timeout=10)
                except ConnectionClosed as closed:
                    one["turns"].append({"closed": closed.rcvd.code})
                full.append(one)
        full_rpc = ask(base, "POST", "/mcp", '{"jsonrpc":"2.0","method":"openenv/session/create","id":1}')
    requests_ = [ask(base, "POST", "/reset", b) for b in BODIES_RESET] + [ask(base, "POST", "/reset", '{"seed":1}', "text/plain"), ask(base, "POST", "/reset", '{"seed":1}', "application/json; charset=utf-8")]
    requests_ += [ask(base, "POST", "/step", b) for b in BODIES_STEP] + [ask(base, "POST", "/mcp", b) for b in RPC]
    requests_ += [ask(base, m, p) for m, p in GETS] + [ask(base, "POST", p, b) for p, b in TASKS]
    return {"sockets": sockets, "full": full, "full_rpc": full_rpc, "requests": requests_}


def main(out):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen([sys.executable, "-m", "uvicorn", "--factory", "serving:app", "--port", str(port), "--log-level", "critical"], cwd=sys.path[0])
    base = f"127.0.0.1:{port}"
    try:
        for _ in range(100):
            try:
                requests.get(f"http://{base}/health", timeout=1)
                break
            except requests.ConnectionError:
                time.sleep(0.2)
        recording = record(base)
    finally:
        server.terminate()
        server.wait()
    with open(out, "w", encoding="utf-8") as file:
        json.dump(recording, file, ensure_ascii=False, indent=1)
        file.write("\n")


if __name__ == "__main__":
    main(sys.argv[1])
