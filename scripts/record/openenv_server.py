"""Serves an environment with the OpenEnv that this interpreter has.

    openenv_server.py [--sessions N] [--idle SECONDS] [--broken] ENVIRONMENT

ENVIRONMENT is
    echo          two tools that say what they are told, as OpenEnv's own echo
                  environment, which is not on PyPI, has them; with 0.1, which
                  knows no tools, an action with a message
    number-sort   LearnLens' sorting task, from its own source (record.sh puts it
                  beside the interpreter)
    trial         does what its action says: pays, fails, waits, invents

It listens on a free port of the loopback interface, prints its URL, and ends
when its standard input does, so that it cannot outlive who started it.
"""

import argparse
import os
import socket
import sys
import threading
from pathlib import Path

import uvicorn


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("environment", choices=["echo", "number-sort", "trial"])
    parser.add_argument("--sessions", type=int, help="how many may play at once")
    parser.add_argument("--idle", type=float, help="end sessions that rest for so many seconds")
    parser.add_argument("--broken", action="store_true", help="no environment can be made")
    asked = parser.parse_args()

    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(128)  # who comes early waits, and is not refused
    server = uvicorn.Server(uvicorn.Config(application(asked), log_level="warning"))
    threading.Thread(target=end_with_input, args=[server], daemon=True).start()
    print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    server.run(sockets=[listener])


def end_with_input(server):
    sys.stdin.read()
    server.should_exit = True
    # Sessions that stay open do not keep it alive.
    threading.Timer(1, os._exit, [0]).start()


def application(asked):
    try:
        import openenv.core  # noqa: F401
    except ImportError:
        import openenv_oldest

        return openenv_oldest.application(asked.environment)

    from openenv.core.env_server import create_app

    if asked.environment == "number-sort":
        factory, action, observation = number_sort()
    else:
        import openenv_environments

        factory, action, observation = getattr(openenv_environments, asked.environment)()
    if asked.broken:
        factory = Broken
    if asked.idle is None:
        return create_app(factory, action, observation, asked.environment.replace("-", "_"),
                          max_concurrent_envs=asked.sessions)
    from openenv.core.env_server.types import ConcurrencyConfig

    return create_app(factory, action, observation, asked.environment.replace("-", "_"),
                      concurrency_config=ConcurrencyConfig(
                          max_concurrent_envs=asked.sessions or 1, session_timeout=asked.idle))


class Broken:
    """An environment that cannot be made."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        raise RuntimeError("no environment today")


def number_sort():
    """LearnLens' environment, which can be played by one at a time."""
    sys.path.insert(0, str(Path(sys.prefix) / "learnlens" / "hf_space"))
    from models import NumberSortAction, NumberSortObservation
    from number_sort_environment import NumberSortEnvironment

    return NumberSortEnvironment, NumberSortAction, NumberSortObservation


if __name__ == "__main__":
    main()
