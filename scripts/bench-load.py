"""Locust's part of BenchmarkLoad in bench/: each user posts the same question
again as soon as it is answered. CANDOR_LOAD_BODY names the file that holds it.
Run by scripts/bench-load.sh.
"""

import os
import pathlib

from locust import FastHttpUser, constant, task

BODY = pathlib.Path(os.environ["CANDOR_LOAD_BODY"]).read_bytes()


class Asker(FastHttpUser):
    wait_time = constant(0)

    @task
    def ask(self):
        with self.client.post("/api/generate", data=BODY, headers={"Content-Type": "application/json"}, catch_response=True) as answer:
            if not (answer.ok and answer.json().get("done")):
                answer.failure("no answer")
