"""Records LearnLens's NumberSort, for package numbersort's tests.

    numbersort.py OUT_FOLDER HF_SPACE

library.json is of the environment in the package learnlens-rl. space.json is of the
OpenEnv server of LearnLens' Space, the folder hf_space of its source distribution,
run under the installed openenv-core.
"""

import copy
import importlib.metadata
import json
import os
import random
import sys

from learnlens.envs.number_sort.environment import NumberSortEnvironment

SEEDS = [0, 1, 2, 3, 4, 7, 42, 123, 1000, 1001, 1004, 65536, 2**31, 2**32 - 1, 2**32, 2**32 + 1,
         2**64, 12345678901234567890, -1, -42, -2**32, 10**40]
TASKS = ["easy", "medium", "hard"]

# What a list of values may hold, and what may stand in its place. Six of each, so that
# the easy task could pay them.
ITEMS = [
    ["1", " 3 ", "1_0", "+3", "-3", "007"], ["3.0", "20.000", "-3.0", "1.0", "2.0", "0.0"],
    [1.0, 2e0, 18.0, 15.0, 1e1, -0.0], [True, False, True, 1, 11, 15],
    [19.0, 18, "17", "15.0", 11, True], [1, 2, 3, 4, 5, 10**40], [1, 2, 3, 4, 5, -2**70],
    [1, 2, 3, 4, 5, "9" * 40], [1.5, 1, 1, 1, 1, 1], [-1.9, 1, 1, 1, 1, 1], [None, 1, 1, 1, 1, 1],
    [[], 1, 1, 1, 1, 1], [[1], 1, 1, 1, 1, 1], [{}, 1, 1, 1, 1, 1], [{"a": 1.0}, 1, 1, 1, 1, 1],
    [1e300, 1, 1, 1, 1, 1], [9223372036854775807.0, -9223372036854775808.0, 1e18, 1, 1, 1],
    [9.2e18, -9.2e18, 1, 1, 1, 1], [1, 2, 3, 4, 5, "x"], ["", " ", "1__0", "_1", "1_", "+ 3"],
    ["3.", ".0", "3.5", "1e2", "0x10", "１"], ["+-3", "--3", "- 3", "1 0", "1,0", "'1'"],
    ["1_0.0", "1.0_0", "1._0", "1_.0", "3.00", "-0.0"], ["\t3\n", "\u00a04", "5\u2003", "6", "7", "8"],
    ["\u0663", "4", "5", "6", "7", "8"], ["<&>", "käse", "\u2028", "a\"b\\", "\u0001", "😀"],
    ["-_1", "0_0", "00", "-00", "+0_1", "0_1"], ["nan", "inf", "Infinity", "-0", "1", "2"],
]
WHOLES = ["[19, 18, 17, 15, 11, 1]", "[1]", "[", "", "nothing", "\"191817\"", "{\"1\": 2}", "7", "null",
          "[\"19\", 18.0, 17, 15, 11, true]", {}, {"19": 0, "18": 0, "17": 0, "15": 0, "11": 0, "1": 0}, 7, 7.5, True,
          None, [], [1] * 7, [[19, 18, 17, 15, 11, 1]]]


def answers(numbers, correct, r):
    """Lists of numbers whose pay differs: orders, faults of one place, lengths."""
    yield correct
    yield sorted(numbers)
    yield list(numbers)
    yield sorted(numbers, reverse=True)
    swapped = list(correct)
    swapped[0], swapped[-1] = swapped[-1], swapped[0]
    yield swapped
    yield [correct[0]] * len(correct)
    yield [correct[0] + 1] + correct[1:]
    yield [200 + i for i in range(len(correct))]
    yield correct[:-1]
    yield correct + [1]
    for wrong in (1, 2, len(correct) // 2):
        some = list(correct)
        for i in r.sample(range(len(some)), wrong):
            some[i] = r.randint(1, 100)
        yield some
    shuffled = list(correct)
    r.shuffle(shuffled)
    yield shuffled


def library():
    r, rows = random.Random(5), []
    for task in TASKS:
        env = NumberSortEnvironment(task=task)
        for seed in SEEDS:
            first = copy.deepcopy(env.reset(seed))
            tries = []
            for values in answers(first["numbers"], env._state.correct, r):
                env.reset(seed)
                result = env.step({"values": values})
                tries.append([values, result["reward"]])
            rows.append({"task": task, "seed": str(seed), "first": json.dumps(first),
                         "last": json.dumps(result), "tries": tries})
    env = NumberSortEnvironment()
    odd = []
    for action in [{"values": v} for v in ITEMS + WHOLES] + [{}, {"action": "hello"}, {"values": [19, 18, 17, 15, 11, 1], "x": 1}]:
        env.reset(0)
        odd.append([action, env.step(action)["reward"]])
    errors = []
    for env in (env, NumberSortEnvironment()):
        try:
            env.step({"values": []})
        except RuntimeError as e:
            errors.append(str(e))
    return {"rows": rows, "odd": odd, "errors": errors}


class Session:
    """A session with the server that keeps what was said."""

    def __init__(self, socket):
        self.socket, self.said = socket, []

    def ask(self, kind, data=None, keep=True):
        message = {"type": kind} if data is None else {"type": kind, "data": data}
        self.socket.send_text(json.dumps(message))
        reply = self.socket.receive_text()
        if keep:
            self.said.append({"ask": message, "reply": reply})
        return json.loads(reply)["data"]


def space(source):
    sys.path.insert(0, source)
    import app
    from fastapi.testclient import TestClient
    from number_sort_environment import TASKS as configs, _sort

    client = TestClient(app.app)
    r, rows, sessions = random.Random(5), [], []
    for task in TASKS:
        with client.websocket_connect("/ws") as socket:
            session = Session(socket)
            for seed in SEEDS:
                numbers = session.ask("reset", {"seed": seed, "task": task})["observation"]["numbers"]
                tries = []
                for values in answers(numbers, _sort(numbers, configs[task]["comparator"]), r):
                    session.ask("reset", {"seed": seed, "task": task}, keep=False)
                    tries.append([values, session.ask("step", {"values": values}, keep=False)["reward"]])
                rows.append({"task": task, "seed": str(seed), "numbers": numbers, "tries": tries})
                session.ask("reset", {"seed": seed})
                session.ask("step", {"values": sorted(numbers), "original": numbers, "task": task})
                session.ask("state")
            sessions.append(session.said)
    with client.websocket_connect("/ws") as socket:
        session = Session(socket)
        session.ask("state")
        session.ask("step", {"values": [1], "original": [1], "task": "hard"})
        session.ask("state")
        session.ask("step", {"values": [1]})
        for values in ITEMS + WHOLES:
            session.ask("reset", {"seed": 0})
            session.ask("step", {"values": values})
        right = [19, 18, 17, 15, 11, 1]
        for action in [{}, {"action": "hello"}, {"values": right, "x": 1}, {"values": right, "task": "hard"},
                       {"values": right, "original": [2, 1]}, {"values": right, "original": ["x", 1.5]},
                       {"values": right, "original": "x"}, {"values": right, "task": 5}, {"values": right, "task": None},
                       {"values": right, "metadata": {"a": [1]}}, {"values": right, "metadata": 3},
                       {"values": right, "metadata": None}, {"values": right, "metadata": []},
                       {"metadata": 3, "values": 7, "original": {}, "task": []}, {"type": "list_tools"}]:
            session.ask("reset", {"seed": 0})
            session.ask("step", action)
        session.ask("state")
        session.ask("step", {"values": 7})  # is refused when done, too
        session.ask("step", {"values": right})
        session.ask("state")
        for extra in [{"task": "hard"}, {}, {"task": "none"}, {"task": 5}, {"task": None}, {"task": True},
                      {"task": ["easy"]}, {"task": {}}, {"task": "medium", "other": 1, "episode_id": "mine"}]:
            session.ask("reset", {"seed": 3, **extra})
        for seed in [1.5, -2.5, 0.0, 7.0, 1e300, "7", "", "käse", True, False, [1], {}]:
            session.ask("reset", {"seed": seed, "task": "easy"})
        session.ask("state")
        sessions.append(session.said)
    return {"schemas": client.get("/schema").json(), "rows": rows, "sessions": sessions}


def save(path, recording):
    recording = {"versions": {name: importlib.metadata.version(name) for name in
                              ("learnlens-rl", "openenv-core", "pydantic")}, **recording}
    with open(path, "w", encoding="utf-8") as f:
        json.dump(recording, f, separators=(",", ":"))
        f.write("\n")


if __name__ == "__main__":
    folder = sys.argv[1]
    save(os.path.join(folder, "library.json"), library())
    save(os.path.join(folder, "space.json"), space(sys.argv[2]))
