"""A byte-level BPE vocabulary of candor-micro's own.

It is made from the prompts that the command scripts/micro/prompts prints, so
that a whole prompt takes few tokens: each of its fixed lines is one token (of
the type that engines look for in a text before anything else), each word of an
answer or of a claim about a scene is one, and every digit is one, so that any
payoff can be told. What is not known in advance falls into bytes. Qwen's
special tokens are there under their own names.

    v = build()                      # or Vocabulary.load(path)
    ids = v.encode(text)             # what Ollama's tokenizer makes of it
    ids = v.question(system, user, image_tokens)
    ids = v.answer("SUPPORTED", "0.95")

The same prompts and kinds of object give the same vocabulary.
"""

import json
import pathlib
import subprocess

import regex
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

NORMAL, CONTROL, USER_DEFINED = 1, 3, 4  # of tokenizer.ggml.token_type

CONTROLS = [
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>",
    "<|vision_end|>", "<|vision_pad|>", "<|image_pad|>", "<|video_pad|>",
]
MARKS = ["<think>", "</think>", "<tool_call>", "</tool_call>"]

# How the engine divides text for the tokenizer "qwen35": white space is ASCII's.
SPLIT = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
).replace(r"\S", r"[^\s]").replace(r"[^\s", r"[^\t\n\f\r ").replace(r"\s", r"[\t\n\f\r ]")

# A multiple of this many tokens keeps every matrix quantisable.
BLOCK = 32

VERDICTS = ["SUPPORTED", "REFUTED", "ABSTAIN"]


class Vocabulary:
    """Tokens, their types, and the merges that make them, in order of rank."""

    def __init__(self, tokens, types, merges):
        self.tokens, self.types, self.merges = tokens, types, merges
        self.ids = {token: i for i, token in enumerate(tokens)}
        if len(self.ids) != len(tokens):
            raise ValueError("a token stands twice in the vocabulary")
        self.specials = [t for t, kind in zip(tokens, types) if kind != NORMAL]
        self._ranks = {tuple(m.split(" ")): i for i, m in enumerate(merges)}
        self._split = regex.compile(SPLIT)
        self._known = {}  # pieces already divided

    def __len__(self):
        return len(self.tokens)

    def id(self, token):
        return self.ids[token]

    @property
    def image_pad(self):
        return self.ids["<|image_pad|>"]

    @property
    def end(self):
        """The token that ends an answer."""
        return self.ids["<|im_end|>"]

    def encode(self, text):
        """The ids of text, as the engine would have them (but runs of a character
        longer than any token, which it may divide elsewhere)."""
        fragments = [text]
        for special in self.specials:
            fragments = [part for f in fragments for part in self._cut(f, special)]
        ids = []
        for f in fragments:
            if isinstance(f, int):
                ids.append(f)
                continue
            for piece in self._split.findall(f):
                ids += self._piece(piece)
        return ids

    def decode(self, ids):
        """The text of ids; bytes that are no UTF-8 are replaced."""
        out = b""
        for i in ids:
            token = self.tokens[i]
            out += token.encode() if self.types[i] != NORMAL else bytes(RUNES.index(r) for r in token)
        return out.decode("utf-8", "replace")

    def question(self, system, user, image_tokens, blank=True):
        """The ids of a whole prompt, with an image of so many tokens; see chat."""
        before, after = chat(system, user, blank)
        image = [self.ids["<|vision_start|>"], *[self.image_pad] * image_tokens, self.ids["<|vision_end|>"]]
        return self.encode(before) + image + self.encode(after)

    def answer(self, verdict, confidence):
        """The ids of an answer and its end; confidence is its text, "0.95"."""
        return self.encode(answer_text(verdict, confidence)) + [self.end]

    def save(self, path):
        text = json.dumps({"tokens": self.tokens, "types": self.types, "merges": self.merges}, ensure_ascii=True, indent=0)
        pathlib.Path(path).write_text(text + "\n")

    @classmethod
    def load(cls, path):
        return cls(**json.loads(pathlib.Path(path).read_text()))

    def _cut(self, fragment, special):
        if isinstance(fragment, int) or special not in fragment:
            return [fragment]
        parts = []
        for text in fragment.split(special):
            parts += [text, self.ids[special]]
        return [p for p in parts[:-1] if p != ""]

    def _piece(self, piece):
        if piece not in self._known:
            self._known[piece] = self._merge(to_runes(piece))
        return self._known[piece]

    def _merge(self, runes):
        if runes in self.ids and self.types[self.ids[runes]] == NORMAL:
            return [self.ids[runes]]
        parts = list(runes)
        while len(parts) > 1:
            rank, at = min((self._ranks.get((a, b), len(self.merges)), i) for i, (a, b) in enumerate(zip(parts, parts[1:])))
            if rank == len(self.merges):
                break
            parts[at : at + 2] = [parts[at] + parts[at + 1]]
        return [self.ids[p] for p in parts]


def answer_text(verdict, confidence):
    """The one form of answer the model learns."""
    return f'{{"verdict": "{verdict}", "confidence": {confidence}}}'


def chat(system, user, blank=True):
    """What stands before and after the image once Ollama's renderer qwen3.5
    has laid out the messages, thinking off. It puts a blank after the image;
    older servers, up to v0.17.7 at least, do not."""
    before = f"<|im_start|>system\n{system.strip()}<|im_end|>\n" if system else ""
    after = f"{' ' if blank else ''}{user.rstrip()}<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"
    return before + "<|im_start|>user\n", after


def prompts():
    """What the command scripts/micro/prompts prints: all prompts, all kinds."""
    return _go()


def prompt(layout="default", rule="brier", payoff=None, claim="There is a cat in the image."):
    """The messages of one prompt: a dictionary with system and user."""
    arguments = ["-layout", layout, "-rule", rule, "-claim", claim]
    return _go(*arguments, *([] if payoff is None else ["-payoff", str(payoff)]))


def build(kinds=(), source=None):
    """The vocabulary for the prompts and kinds of source (see prompts), and for
    more kinds when given."""
    source = source or prompts()
    kinds = sorted(set(source["kinds"]) | set(kinds))
    tokens, merges = _train(_corpus(kinds))
    types = [NORMAL] * len(tokens)
    for names, kind in ((CONTROLS, CONTROL), (MARKS, USER_DEFINED), (phrases(source["prompts"]), USER_DEFINED)):
        tokens += names
        types += [kind] * len(names)
    while len(tokens) % BLOCK:
        tokens.append(f"<|unused_{len(tokens)}|>")
        types.append(NORMAL)
    return Vocabulary(tokens, types, merges)


def phrases(prompts):
    """The lines that prompts share, each with the line ends after it, and of
    lines with a figure or a claim what stands before and after that. The
    longest come first, since engines look for them in this order."""
    found = set()
    for one in prompts:
        for other in prompts:
            if (one["layout"], one["rule"]) == (other["layout"], other["rule"]) and one is not other:
                for part in ("system", "user"):
                    found |= _shared(one[part], other[part])
    return sorted((p for p in found if regex.search(r"\p{L}", p)), key=lambda p: (-len(p), p))


def _shared(one, other):
    """The fixed lines, and fixed parts of lines, of two prompts that differ in
    payoff and claim only."""
    lines, others = (regex.findall(r"[^\n]+\n*", text) for text in (one, other))
    if len(lines) != len(others):
        raise ValueError("two prompts of one layout and rule differ in their number of lines")
    found = set()
    for a, b in zip(lines, others):
        if a == b:
            found.add(a)
        elif a.startswith("Claim:") and b.startswith("Claim:"):
            found.add("Claim:")  # a claim's words stay words, its full stop included
        else:
            found |= {_prefix(a, b).rstrip(".0123456789"), _prefix(a[::-1], b[::-1])[::-1].lstrip("0123456789")}
    return found


def _prefix(a, b):
    n = 0
    while n < min(len(a), len(b)) and a[n] == b[n]:
        n += 1
    return a[:n]


def _corpus(kinds):
    """Texts with every word that is to be one token, the commonest most often."""
    nouns = [w for k in kinds for w in k.split()]
    words = "There is a an the in of on and image claim true Claim Image user assistant system".split()
    texts = 9 * [answer_text(v, c) for v in VERDICTS for c in ("0.5", "1", "0.0", "1.0")]
    texts += 3 * [" " + w for w in nouns + words] + nouns + words + VERDICTS
    return texts + 3 * [".\n", ".\n\n", ".\n\n\n", "\n\n", "\n\n\n", "\n"]


def _train(texts):
    """Byte tokens and merges until every piece of the texts is one token."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(SPLIT), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
    ])
    trainer = trainers.BpeTrainer(vocab_size=1 << 16, min_frequency=1, initial_alphabet=list(RUNES), show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    merges = [" ".join(m) for m in json.loads(tokenizer.to_str())["model"]["merges"]]
    tokens = list(RUNES) + [m.replace(" ", "", 1) for m in merges]
    return list(dict.fromkeys(tokens)), merges


def _go(*arguments):
    here = pathlib.Path(__file__).resolve().parent
    done = subprocess.run(["go", "run", "./prompts", *arguments], cwd=here, stdout=subprocess.PIPE, check=True)
    return json.loads(done.stdout)


def _rune(b):
    """The printable rune that stands for a byte in a token."""
    if b == 0xAD:
        return chr(0x143)
    if b <= 0x20:
        return chr(b + 0x100)
    if 0x7F <= b <= 0xA0:
        return chr(b + 0xA2)
    return chr(b)


RUNES = "".join(_rune(b) for b in range(256))


def to_runes(text):
    return "".join(RUNES[b] for b in text.encode())
