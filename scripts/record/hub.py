"""Does with the Hub's own library what package hub does, for tests that compare.

    python hub.py ACTION REPO [FILE...]

The Hub is HF_ENDPOINT, the cache HF_HOME. Prints one JSON document.

snapshot   download all of a data set; the commit and its folder
files      download some of its files; their paths and sha256
cached     the same without any request: the files must be in the cache
scan       what the library finds in its cache, with its complaints
load       load the data set by the library datasets; its rows by split
"""

import hashlib
import json
import pathlib
import sys

import huggingface_hub


def described(path):
    return {"path": path, "sha256": hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()}


def files(repo, names, revision, cached):
    return {name: described(huggingface_hub.hf_hub_download(repo, name, repo_type="dataset", revision=revision, local_files_only=cached)) for name in names}


def scan():
    found = huggingface_hub.scan_cache_dir()
    return {
        "warnings": [str(w) for w in found.warnings],
        "repos": {r.repo_id: {rev.commit_hash: sorted([sorted(rev.refs), sorted(str(f.file_path.relative_to(rev.snapshot_path)) for f in rev.files)]) for rev in r.revisions} for r in found.repos},
    }


def load(repo, config):
    import datasets

    data = datasets.load_dataset(repo, *config)
    return {split: len(rows) for split, rows in data.items()}


def main():
    action, (repo, _, revision), names = sys.argv[1], sys.argv[2].partition("@"), sys.argv[3:]
    revision = revision or None
    match action:
        case "snapshot":
            path = huggingface_hub.snapshot_download(repo, repo_type="dataset", revision=revision)
            out = {"path": path, "commit": pathlib.Path(path).name}
        case "files" | "cached":
            out = files(repo, names, revision, action == "cached")
        case "scan":
            out = scan()
        case "load":
            out = load(repo, names)
    json.dump(out, sys.stdout)


if __name__ == "__main__":
    main()
