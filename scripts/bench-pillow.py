"""The work of BenchmarkPrepare in bench/, done by Pillow on one core.

    python bench-pillow.py FOLDER resized|passed

Prints the seconds of a processor that an image of FOLDER takes: read, decoded,
made RGB and, when resized, brought to a grid of 32 by bicubic and written as
PNG at the quickest level. Run by scripts/bench-pillow.sh.
"""

import io
import pathlib
import sys
import time

from PIL import Image


def main():
    folder, job = pathlib.Path(sys.argv[1]), sys.argv[2]
    files = sorted(folder.iterdir())
    prepare(files[0], job)  # loads Pillow's plugins
    began = time.process_time()
    for file in files:
        prepare(file, job)
    print((time.process_time() - began) / len(files))


def prepare(file, job):
    image = Image.open(io.BytesIO(file.read_bytes())).convert("RGB")
    if job == "resized":
        grid = tuple(round(side / 32) * 32 for side in image.size)
        image.resize(grid, Image.Resampling.BICUBIC).save(io.BytesIO(), "PNG", compress_level=1)


if __name__ == "__main__":
    main()
