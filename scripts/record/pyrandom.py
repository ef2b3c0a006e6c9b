"""Records what CPython's random.Random draws, for package pyrandom's tests.

    pyrandom.py OUT.json
"""

import json
import random
import sys

INTEGERS = [0, 1, 2, 3, 7, 42, 255, 256, 1000, 1001, 65537, 123456789, 2**31 - 1, 2**31,
            2**32 - 2, 2**32 - 1, 2**32, 2**32 + 1, 2**33, 2**63 - 1, 2**63, 2**64 - 1, 2**64,
            12345678901234567890, 10**20, 2**96 - 1, 2**128, 10**50, 2**1000 + 7, 3**12000]
SEEDS = INTEGERS + [-n for n in INTEGERS[1:23]]
# Other types of seed that JSON has.
STRINGS = ["", "7", "seed", "käse", "日本", "a" * 300]
FLOATS = [0.0, -0.0, 1.0, -1.0, 1.5, -2.25, 0.1, 1e-300, 5e-324, 1e18, 1e19, 1e300, 123456789.987654321]
BITS = [1, 2, 5, 31, 32, 33, 63, 64, 65, 100, 1000, 0]
RANGES = [[0, 0], [0, 1], [1, 6], [1, 20], [-5, 5], [0, 2**32 - 1], [0, 2**32], [-2**62, 2**62 - 2], [7, 2**62]]


def draws(seed):
    """One sequence: the order of the calls is part of what is recorded."""
    r = random.Random(seed)
    bits = [str(r.getrandbits(k)) for k in BITS]
    integers = [r.randint(a, b) for a, b in RANGES for _ in range(3)]
    shuffled = list(range(60))
    r.shuffle(shuffled)
    late = random.Random(seed)
    for _ in range(2000):  # past several renewals of the state
        late.getrandbits(32)
    return {"bits": bits, "integers": integers, "shuffled": shuffled, "late": late.getrandbits(32)}


def main(out):
    recording = {
        "python": sys.version.split()[0], "bits": BITS, "ranges": RANGES,
        "integers": [{"seed": str(s), "draws": draws(s)} for s in SEEDS],
        "strings": [{"seed": s, "draws": draws(s)} for s in STRINGS],
        "floats": [{"seed": s, "draws": draws(s)} for s in FLOATS],
    }
    with open(out, "w", encoding="utf-8") as f:
        json.dump(recording, f, separators=(",", ":"))
        f.write("\n")


if __name__ == "__main__":
    sys.set_int_max_str_digits(0)
    main(sys.argv[1])
