"""The Python server of BenchmarkOpenEnv in bench/: LearnLens' number-sort, for many
sessions at once. Its author says of it that it is for one; each session has an
environment of its own, though, and nothing in it is shared.
Run by scripts/bench-openenv.sh.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "record"))
import openenv_server

number_sort = openenv_server.number_sort


def concurrent():
    factory, action, observation = number_sort()
    factory.SUPPORTS_CONCURRENT_SESSIONS = True
    return factory, action, observation


openenv_server.number_sort = concurrent
openenv_server.main()
