"""Records what is said between a client and the server of the OpenEnv at hand.

    openenv_exchanges.py OUT.jsonl

Every line is one connection: {"version", "environment", "flags", "name", "said"}
with the messages in their order: {"C": text} from the client, {"S": text} from
the server, {"B": base64} a binary one from the client, {"closed": code, "reason"}
the server's end. With OpenEnv 0.1, which has no connections, said is a list of
{"method", "path", "body", "status", "answer"}.

What the client says is spelled as OpenEnv's own client spells it.
"""

import base64
import json
import subprocess
import sys
import urllib.error
import urllib.request
from importlib import metadata
from pathlib import Path

SERVER = Path(__file__).with_name("openenv_server.py")


def main(out):
    try:
        version = metadata.version("openenv")
    except metadata.PackageNotFoundError:
        version = metadata.version("openenv-core")
    exchanges = OLD if version.startswith("0.1.") else EXCHANGES
    with open(out, "w", encoding="utf-8") as file:
        for environment, flags, conversations in exchanges:
            with Served(environment, flags) as url:
                for name, said in conversations.items():
                    heard = (calls if exchanges is OLD else exchange)(url, said)
                    json.dump({"version": version, "environment": environment, "flags": flags,
                               "name": name, "said": heard}, file, ensure_ascii=False)
                    file.write("\n")


class Served:
    """A server, for as long as the block lasts."""

    def __init__(self, environment, flags):
        self.command = [sys.executable, SERVER, *flags, environment]

    def __enter__(self):
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        return self.process.stdout.readline().strip()

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()


def exchange(url, said):
    """Says what is to be said, one reply to each, and tells what was said on both sides."""
    from websockets.exceptions import ConnectionClosed
    from websockets.sync.client import connect

    heard = []

    def listen(socket):
        try:
            heard.append({"S": socket.recv(timeout=30)})
        except ConnectionClosed as end:
            heard.append({"closed": end.rcvd.code if end.rcvd else 1006, "reason": end.rcvd.reason if end.rcvd else ""})
            return False
        return True

    with connect(url.replace("http", "ws", 1) + "/ws", proxy=None, max_size=None) as socket:
        if said is WAIT:
            while listen(socket):
                pass
            return heard
        if said is SECOND:
            socket.send(json.dumps(RESET))
            socket.recv()
            return exchange(url, WAIT)
        for message in said:
            if isinstance(message, bytes):
                heard.append({"B": base64.b64encode(message).decode()})
                socket.send(message)
            else:
                text = message if isinstance(message, str) else json.dumps(message)
                heard.append({"C": text})
                socket.send(text)
            if not listen(socket):
                return heard
            if '"code":"SESSION_ERROR"' in heard[-1].get("S", ""):
                listen(socket)
                return heard
        socket.send(json.dumps(CLOSE))
        heard.append({"C": json.dumps(CLOSE)})
        listen(socket)
    return heard


def calls(url, said):
    """Makes requests, as OpenEnv 0.1 has it."""
    heard = []
    for method, path, body in said:
        body = None if body is None else json.dumps(body)
        request = urllib.request.Request(
            url + path, method=method, data=None if body is None else body.encode(),
            headers={"Content-Type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                status, text = answer.status, answer.read().decode()
        except urllib.error.HTTPError as answer:
            status, text = answer.code, answer.read().decode()
        heard.append({"method": method, "path": path, "body": body, "status": status, "answer": text})
    return heard


CLOSE = {"type": "close"}
RESET = {"type": "reset", "data": {}}
STATE = {"type": "state"}
WAIT = object()  # says nothing
SECOND = object()  # the same while somebody else plays


def reset(**data):
    return {"type": "reset", "data": data}


def step(**data):
    return {"type": "step", "data": data}


def show(value):
    return step(do="show", value=value)


def call(tool_name, **arguments):
    return step(type="call_tool", tool_name=tool_name, arguments=arguments)


ECHO = {
    "an episode": [
        RESET, step(type="list_tools"), call("echo_message", message="Hello!"),
        call("echo_with_length", message="Grüße, 世界 🙂"), STATE, reset(episode_id="an episode"), STATE],
    "a seed and more": [reset(seed=7, episode_id="e", anything=[1, 2.0]), STATE],
    "before a reset": [STATE, call("echo_message", message="")],
    "tools used wrongly": [
        RESET, call("no_such_tool", message="x"), call("echo_message"), call("echo_message", message=5),
        call("echo_message", message="x", more=1), step(tool_name="echo_message"), step(arguments={}), step(),
        step(type="other"), step(type="call_tool", tool_name="echo_message", arguments={"message": "x"}, more=1)],
    "a tool without a type": [RESET, step(tool_name="echo_message", arguments={"message": "a\nb\t\"c\" \\ / \u0001 \u2028"})],
}

SORT = {
    "right": [
        reset(seed=0), step(values=[19, 18, 17, 15, 11, 1]), STATE],
    "the exploit": [reset(seed=42), step(values=[5, 6, 10, 14, 15, 20])],
    "hard and medium": [
        reset(seed=1000, task="hard"), step(values=[]), reset(seed=1000, task="medium"), step(values=[1] * 12),
        reset(seed=3), STATE],
    "seeds": [reset(seed=seed) for seed in (1, -1, 2**32, 2**32 - 1, 12345678901234567890, -(2**70))],
    "after the end": [reset(seed=0), step(values=[1, 2]), step(values=[1, 2]), STATE],
    "before a reset": [STATE, step(values=[])],
    "wrong values": [
        reset(seed=0), step(values="x"), step(values=["x"]), step(values=[1.5]), step(values=None), step(values={}),
        step(values=["3", 2.0, True]), reset(seed=0), step(action="hello"), reset(seed=0), step(),
        step(values=[1], original="y", task=3)],
    "a seed that is none": [reset(seed="x"), reset(seed=1.5), reset(seed=None, task=None)],
}

TRIAL = {
    "rewards": [
        RESET, *[step(do="pay", value=value) for value in (
            1, 0, -3, True, False, None, 0.5, 0.0, -0.0, 0.30000000000000004, -1.5, 1e-7, 1e16, 1e300, 2**53 + 1, 2**64,
            "0.25", "x", [])],
        *[step(do="nothing-finite", value=value) for value in ("nan", "inf", "-inf")]],
    "values": [
        RESET, *[show(value) for value in (
            {"z": 1.0, "a": {"y": [0.1, 1e-7, 1e22, -0.0], "x": {}}, "": None}, "é世🙂\u0000\u007f\u2028", "</script>&",
            [], [[[]]], 2**70, 123456789012345678, 1.0, True, None, "a\\b\"c\n")]],
    "an end": [reset(seed=1, episode_id="e"), step(do="finish"), step(do="show"), STATE, RESET, STATE],
    "annotations": [
        RESET, step(do="annotate", value={"note": "é", "n": 1.0}), step(do="annotate", value={}),
        step(do="show", value=1, metadata={"mine": True})],
    "a long observation": [RESET, step(do="long", value=5000)],
    "failures": [
        RESET, step(do="raise", value="boom"), step(do="raise", value=""), step(do="raise", value="zwei\nZeilen\t„so“ 🙂"),
        step(do="raise-value", value="no"), step(do="raise-validation", value="x"), step(do="unheard-of"),
        reset(fail="no episode today"), STATE],
    "wrong actions": [
        RESET, step(), step(value=1), step(do=5), step(do="show", more=1, another=2), step(do=None),
        step(do="show", metadata=5)],
    "wrong messages": [
        "", "{", "not JSON", "{\"type\": \"reset\"", "nul", "5", "\"reset\""],
    "a list": ["[]"],
    "a binary message": [b"{\"type\": \"state\"}"],
    "types": [
        {}, {"type": None}, {"type": 5}, {"type": "nonsense"}, {"type": "RESET"}, {"type": []}, {"type": "observation"},
        {"data": {}}],
    "wrong envelopes": [
        {"type": "step"}, {"type": "step", "data": None}, {"type": "step", "data": []}, {"type": "reset", "data": 5},
        {"type": "reset", "data": None}, {"type": "reset", "data": {}, "request_id": "1"}, {"type": "state", "data": {}},
        {"type": "close", "data": {}}, {"type": "mcp"}, {"type": "reset"}],
    "tools where there are none": [
        {"type": "mcp", "data": {"jsonrpc": "2.0", "method": "tools/list", "id": 1}}, {"type": "mcp", "data": {}}],
}

EXCHANGES = [
    ("echo", [], ECHO),
    ("number-sort", [], SORT),
    ("trial", [], TRIAL),
    ("trial", ["--sessions", "1"], {"no room": SECOND}),
    ("trial", ["--broken"], {"no environment": WAIT}),
]

OLD = [
    ("echo", [], {"an episode": [
        ("GET", "/health", None), ("POST", "/reset", {}),
        ("POST", "/step", {"action": {"message": "Grüße"}, "timeout_s": 15}), ("GET", "/state", None)]}),
    ("trial", [], {
        "rewards": [
            ("POST", "/reset", {}), *[("POST", "/step", {"action": {"do": "pay", "value": value}, "timeout_s": 15})
                                      for value in (1, 0.0, True, None, 0.30000000000000004, 1e-7)]],
        "failures": [
            ("POST", "/reset", {}), ("POST", "/step", {"action": {"do": "raise", "value": "boom"}, "timeout_s": 15}),
            ("POST", "/step", {"action": {"more": 1}, "timeout_s": 15}), ("GET", "/state", None)],
        "an end": [
            ("POST", "/reset", {}), ("POST", "/step", {"action": {"do": "finish"}, "timeout_s": 15}),
            ("GET", "/state", None), ("POST", "/reset", {}), ("GET", "/state", None)],
    }),
]

if __name__ == "__main__":
    main(sys.argv[1])
