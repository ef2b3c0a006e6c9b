"""Compares the engine with PyTorch, step by step, on the same images and prompts.

    python agree.py --random 1                              # random weights
    python agree.py --checkpoint DIR --vocabulary v.json --scenes PREFIX

A model is converted and registered with a server of its own, started from the
binary that CANDOR_OLLAMA_BIN names. The engine answers each prompt greedily,
with and without the grammar of the answer's format, and tells its twenty
likeliest tokens at every step; PyTorch reads the same prompt and the engine's
own answer. What is compared is each step's likeliest token, and the
logarithms of the probabilities of the twenty. Images are PNG files already on
the model's grid, so that no resizing stands between the two.

Exits with status 1 when fewer than the wanted share of steps agree, or any
log-probability is too far from the other.
"""

import argparse
import base64
import collections
import hashlib
import json
import os
import pathlib
import socket
import struct
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import zlib

import numpy as np
import torch
from transformers import Qwen3_5ForConditionalGeneration

import architecture
import convert
import vocabulary
from data import Scenes, patches_of

SCHEMA = {
    "type": "object",
    "properties": {"verdict": {"type": "string", "enum": vocabulary.VERDICTS}, "confidence": {"type": "number"}},
    "required": ["verdict", "confidence"],
    "additionalProperties": False,
}


class Engine:
    """A server with one model, gone when the block ends."""

    def __init__(self, binary, file):
        self.binary, self.file = binary, file

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            host = "127.0.0.1:%d" % s.getsockname()[1]
        self.url = "http://" + host
        home = self.folder.name
        env = dict(os.environ, HOME=home, OLLAMA_HOST=host, OLLAMA_MODELS=home + "/models", OLLAMA_NO_CLOUD="1")
        self.log = open(home + "/log", "w+")
        self.process = subprocess.Popen([self.binary, "serve"], env=env, stdout=self.log, stderr=self.log, start_new_session=True)
        self._register()
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(timeout=30)
        self.log.close()
        self.folder.cleanup()

    def ask(self, question, grammar, tokens):
        body = {
            "model": "micro", "system": question.system, "prompt": question.user, "images": [question.png], "stream": False,
            "think": False, "truncate": False, "shift": False, "logprobs": True, "top_logprobs": 20, "keep_alive": "10m",
            "options": {"temperature": 0, "seed": 1, "num_predict": tokens, "num_ctx": 2048, "num_thread": 1},
        }
        return self.post("/api/generate", body | ({"format": SCHEMA} if grammar else {}))

    def rendered(self, question):
        """The prompt as the server lays it out, the image as a tag."""
        body = {"model": "micro", "system": question.system, "prompt": question.user, "images": [question.png], "stream": False,
                "think": False, "_debug_render_only": True}
        return self.post("/api/generate", body)["_debug_info"]["rendered_template"]

    def post(self, path, body):
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        try:
            with urllib.request.urlopen(urllib.request.Request(self.url + path, raw), timeout=300) as reply:
                text = reply.read()
        except urllib.error.HTTPError as e:
            raise RuntimeError(f"{path}: {e.code} {e.read().decode()}\n{self.tail()}") from e
        return json.loads(text) if text else None

    def tail(self):
        return "\n".join(pathlib.Path(self.log.name).read_text().splitlines()[-15:])

    def _register(self):
        for _ in range(300):
            try:
                urllib.request.urlopen(self.url + "/api/version", timeout=5).read()
                break
            except OSError:
                if self.process.poll() is not None:
                    raise RuntimeError("the server ended:\n" + self.tail()) from None
                time.sleep(0.1)
        weights = pathlib.Path(self.file).read_bytes()
        digest = "sha256:" + hashlib.sha256(weights).hexdigest()
        self.post("/api/blobs/" + digest, weights)
        self.post("/api/create", {"model": "micro", "files": {"micro.gguf": digest}, "renderer": "qwen3.5", "parser": "qwen3.5", "stream": False})


class Question:
    """A prompt about an image, for both sides."""

    def __init__(self, vocabulary, prompt, image, blank=True):
        self.system, self.user, self.image = prompt["system"], prompt["user"], image
        self.rows, self.columns = image.shape[0] // 32, image.shape[1] // 32
        self.ids = vocabulary.question(self.system, self.user, self.rows * self.columns, blank)
        self.png = base64.b64encode(png(image)).decode()

    @property
    def size(self):
        return f"{self.columns}x{self.rows}"


def logprobs(model, question, answer):
    """PyTorch's log-probabilities of what follows the question and each token
    of the answer, [1 + tokens, vocabulary]."""
    ids = torch.tensor([question.ids + answer])
    patches, grid = patches_of([question.image])
    with torch.no_grad():
        out = model(input_ids=ids, pixel_values=patches, image_grid_thw=grid, logits_to_keep=len(answer) + 1,
                    mm_token_type_ids=(ids == model.config.image_token_id).int())
    return out.logits[0].log_softmax(-1)


class Tally:
    """What was found, by kind of step."""

    def __init__(self):
        self.agreed = collections.defaultdict(list)
        self.differences = collections.defaultdict(list)
        self.left_out = 0

    def add(self, model, vocabulary, names, question, reply, kinds):
        """Compares the steps of one reply. Those after a token that its text
        does not tell are left out, and so are replies in which the server does
        not tell every step, as v0.17.7 keeps blanks to itself."""
        ended = reply.get("done_reason") == "stop"
        if len(reply["logprobs"]) != reply["eval_count"] - ended:
            self.left_out += reply["eval_count"]
            return
        steps = [(names.get(s["token"]), s["top_logprobs"]) for s in reply["logprobs"]]
        known = next((i for i, s in enumerate(steps) if s[0] is None), len(steps))
        self.left_out += len(steps) - known
        steps = steps[:known]
        whole = known == len(reply["logprobs"])
        ours = logprobs(model, question, [s[0] for s in steps])
        for i, (_, top) in enumerate(steps):
            groups = ["all", f"image {question.size}", "first step" if i == 0 else "later steps", *kinds]
            theirs = [(names[t["token"]], t["logprob"]) for t in top if t["token"] in names]
            self._step(groups, top[0]["token"] in names and theirs[0][0] == ours[i].argmax().item(),
                       [abs(ours[i, t].item() - p) for t, p in theirs])
        # The end of an answer has no entry of its own; it was the likeliest if the engine was free.
        if whole and ended and "grammar off" in kinds:
            self._step(["all", "end of answer"], ours[-1].argmax().item() in (vocabulary.end, vocabulary.id("<|endoftext|>")), [])

    def _step(self, groups, agreed, differences):
        for g in groups:
            self.agreed[g].append(agreed)
            self.differences[g] += differences

    def table(self):
        rows = ["steps                 n   same argmax   |Δ logprob| median    95 %     largest"]
        for g in sorted(self.agreed, key=lambda g: (g != "all", g)):
            d = np.array(self.differences[g] or [0.0])
            rows.append(f"{g:16}{len(self.agreed[g]):7}{np.mean(self.agreed[g]):14.4f}{np.median(d):22.5f}{np.quantile(d, 0.95):8.4f}{d.max():12.4f}")
        return "\n".join(rows)


def texts(vocabulary):
    """Which token a text is, where that is sure."""
    names = collections.defaultdict(list)
    for i in range(len(vocabulary)):
        names[vocabulary.decode([i])].append(i)
    return {text: ids[0] for text, ids in names.items() if len(ids) == 1 and "�" not in text and text != "\0"}


def png(image):
    """An image as a PNG file, uncompressed."""
    height, width, _ = image.shape
    rows = b"".join(b"\0" + image[y].tobytes() for y in range(height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 0)) + chunk(b"IEND", b"")


# Rows and columns of merged tokens; fewer than 64 in all would be scaled up.
SIZES = [(7, 10), (8, 8), (8, 11), (11, 6), (10, 13)]


def random_images(rng):
    """Endless pictures of coloured rectangles on a coloured ground, with noise."""
    while True:
        rows, columns = SIZES[rng.integers(len(SIZES))]
        height, width = 32 * rows, 32 * columns
        image = np.full((height, width, 3), rng.integers(0, 256, 3), np.int16)
        for _ in range(rng.integers(3, 12)):
            y, x = rng.integers(0, height), rng.integers(0, width)
            image[y : y + rng.integers(8, 160), x : x + rng.integers(8, 160)] = rng.integers(0, 256, 3)
        yield np.clip(image + rng.integers(-12, 13, image.shape), 0, 255).astype(np.uint8)


def scene_images(prefix, rng):
    scenes = Scenes(prefix)
    while True:
        for i in rng.permutation(len(scenes)):
            yield np.array(scenes.image(i))


def some_prompts(source, rng):
    """Endless prompts of all layouts and rules, about the kinds of object."""
    while True:
        prompt = dict(source["prompts"][rng.integers(len(source["prompts"]))])
        kind = source["kinds"][rng.integers(len(source["kinds"]))]
        claim = f"There is {'an' if kind[0] in 'aeiou' else 'a'} {kind} in the image."
        prompt["user"] = prompt["user"].replace(prompt["claim"], claim)
        yield prompt


def random_model(v, seed):
    """Random weights that make answers varied: nothing is at its neutral value,
    and tokens whose text does not tell them are never likely."""
    model = architecture.build(architecture.config(v), seed)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, p in model.named_parameters():
            if p.dim() == 1 and not name.endswith(("A_log", "dt_bias")):
                p.add_(0.1 * torch.randn(p.shape, generator=generator))
            elif name.endswith(architecture.RESIDUAL):
                p.mul_(3)
        head = model.lm_head.weight
        head.normal_(0, 3 / head.shape[1] ** 0.5, generator=generator)
        sure = set(texts(v).values()) - {i for i, t in enumerate(v.types) if t != vocabulary.NORMAL}
        for i in set(range(len(v))) - sure:
            head[i] = 0
    return model


def arguments():
    parser = argparse.ArgumentParser(description="Compare the engine with PyTorch.")
    parser.add_argument("--checkpoint", help="folder of save_pretrained")
    parser.add_argument("--vocabulary", help="file of Vocabulary.save")
    parser.add_argument("--random", type=int, metavar="SEED", help="take random weights instead")
    parser.add_argument("--scenes", metavar="PREFIX", help="images of scripts/micro/scenes; random ones without")
    parser.add_argument("--encoding", choices=list(convert.ENCODINGS), default="f16", help="of matrices")
    parser.add_argument("--prompts", type=int, default=200, help="how many prompts")
    parser.add_argument("--tokens", type=int, default=24, help="most tokens of an answer")
    parser.add_argument("--share", type=float, default=0.95, help="share of steps that must have the same argmax")
    parser.add_argument("--apart", type=float, default=0.2, help="most that log-probabilities may differ")
    parser.add_argument("--seed", type=int, default=0, help="of images and prompts")
    a = parser.parse_args()
    if (a.random is None) == (a.checkpoint is None):
        parser.error("give --checkpoint or --random")
    if a.checkpoint and not a.vocabulary:
        parser.error("a checkpoint needs its --vocabulary")
    return a


def main():
    torch.set_num_threads(1)
    a, source = arguments(), vocabulary.prompts()
    v = vocabulary.Vocabulary.load(a.vocabulary) if a.vocabulary else vocabulary.build(source=source)
    model = random_model(v, a.random) if a.checkpoint is None else Qwen3_5ForConditionalGeneration.from_pretrained(a.checkpoint)
    model.eval()
    rng = np.random.default_rng(a.seed)
    images = scene_images(a.scenes, rng) if a.scenes else random_images(rng)
    names, tally = texts(v), Tally()
    binary = os.environ.get("CANDOR_OLLAMA_BIN") or sys.exit("set CANDOR_OLLAMA_BIN to an ollama binary")
    with tempfile.NamedTemporaryFile(suffix=".gguf") as file:
        convert.convert(model, v, file.name, encoding=a.encoding)
        with Engine(binary, file.name) as engine:
            blank = puts_blank(engine, Question(v, source["prompts"][0], next(images)))
            for n, prompt, image in zip(range(a.prompts), some_prompts(source, rng), images):
                q = Question(v, prompt, image, blank)
                if n % 25 == 0:
                    check_rendering(engine, q, blank)
                for grammar in (False, True):
                    reply = engine.ask(q, grammar, a.tokens)
                    if reply["prompt_eval_count"] != len(q.ids):
                        sys.exit(f"the engine's prompt has {reply['prompt_eval_count']} tokens, ours {len(q.ids)}")
                    tally.add(model, v, names, q, reply, ["grammar on" if grammar else "grammar off"])
                if (n + 1) % 50 == 0:
                    print(f"{n + 1} prompts", file=sys.stderr)
    print(tally.table())
    print(f"{tally.left_out} steps left out, since the server does not tell which tokens they are")
    if not np.mean(tally.agreed["all"]) >= a.share:
        sys.exit(f"fewer than {a.share} of the steps agree")
    if max(tally.differences["all"]) > a.apart:
        sys.exit(f"log-probabilities differ by more than {a.apart}")


def puts_blank(engine, question):
    """Whether the server puts a blank between image and text."""
    return "[img-0] " in engine.rendered(question)


def check_rendering(engine, question, blank):
    before, after = vocabulary.chat(question.system, question.user, blank)
    if (got := engine.rendered(question)) != (want := before + "[img-0]" + after):
        sys.exit(f"the server renders {got!r},\nnot {want!r}")


if __name__ == "__main__":
    main()
