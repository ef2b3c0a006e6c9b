"""Plays NumberSort on a running server with OpenEnv's own client.

    openenv_player.py URL SESSIONS [TOKEN]

Plays in so many sessions at a time, three episodes each, and prints one JSON
list: of each session what the client made of the replies. It is for whichever
release of OpenEnv the interpreter has, from 0.2 on.
"""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from openenv.core.generic_client import GenericEnvClient

FAILURES = [
    {"values": "none"},  # no list
    {"values": [1, "x"]},  # no number
]


def told(result):
    return {"observation": result.observation, "reward": result.reward, "done": result.done}


def play(url, seed, together, headers):
    client = GenericEnvClient(base_url=url, **({"headers": headers} if headers else {}))
    if hasattr(client, "sync"):  # since 0.2.2 clients are asynchronous
        client = client.sync()
    seen = {"seed": seed, "episodes": [], "errors": []}
    with client:
        together.wait()  # all sessions are open before any is played
        for episode in range(3):
            first = client.reset(seed=seed + episode, episode_id=f"{seed}-{episode}", task="easy")
            second = client.step({"values": sorted(first.observation["numbers"], reverse=True)})
            seen["episodes"].append([told(first), told(second), client.state()])
        for action in FAILURES:
            try:
                client.step(action)
                seen["errors"].append(None)
            except RuntimeError as error:
                seen["errors"].append(str(error))
        together.wait()
    return seen


def main(url, sessions, token=None):
    sessions = int(sessions)
    headers = {"Authorization": f"Bearer {token}"} if token else None
    together = Barrier(sessions, timeout=60)
    with ThreadPoolExecutor(sessions) as pool:
        played = list(pool.map(lambda i: play(url, 100 * i, together, headers), range(sessions)))
    json.dump(played, sys.stdout)


if __name__ == "__main__":
    main(*sys.argv[1:])
