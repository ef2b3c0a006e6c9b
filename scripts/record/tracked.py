"""What a real MLflow server holds in an experiment, by MLflow's own client, as JSON.

    tracked.py URL EXPERIMENT
"""

import json
import sys
import tempfile
from pathlib import Path

import mlflow

url, name = sys.argv[1:]
mlflow.set_tracking_uri(url)
client = mlflow.MlflowClient()
experiment = client.get_experiment_by_name(name)
out = []
for run in client.search_runs([experiment.experiment_id]):
    with tempfile.TemporaryDirectory() as at:
        files = {f.path: Path(client.download_artifacts(run.info.run_id, f.path, at)).read_text() for f in client.list_artifacts(run.info.run_id)}
    out.append({
        "name": run.info.run_name, "status": run.info.status, "params": run.data.params, "metrics": run.data.metrics,
        "histories": {m: len(client.get_metric_history(run.info.run_id, m)) for m in run.data.metrics},
        "tags": run.data.tags, "files": files,
    })
json.dump(out, sys.stdout)
