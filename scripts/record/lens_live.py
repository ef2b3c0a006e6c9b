"""Has the installed learnlens-rl evaluate two agents over a WebSocket, and prints what it says.

  python lens_live.py URL
"""

import json
import sys

from learnlens.config import LensConfig
from learnlens.wrapper import LensWrapper

from lens import agent_of


def main():
    out = {}
    for name in ("constant", "reading", "thinking"):
        calls = [0]
        lens = LensWrapper(env_url=sys.argv[1], config=LensConfig(run_reasoning=False))
        adapter = lens._get_adapter()
        lens._get_adapter = lambda: adapter  # so that it can be closed, as a server may have one place only
        report = lens.evaluate(agent_of(name, calls), n_episodes=3)
        adapter.close()
        values = [report.lqs, report.generalization_score, report.consistency_score, report.hack_index, report.reasoning_score, report.raw_learning, report.trust_coefficient, report.mean_reward, report.reward_std]
        out[name] = {"values": values, "verdict": report.verdict(), "calls": calls[0]}
    print(json.dumps(out))


main()
