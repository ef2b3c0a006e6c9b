"""Writes small Parquet files as the programs that published sets come from write them.

    python parquet.py DIRECTORY
    python parquet.py DIRECTORY full

DIRECTORY/pope/         POPE's two configurations in small: default, split test in three files
                        with dictionaries and short row groups; Full, a file a split, as
                        datasets writes it today
DIRECTORY/layouts/      one table in every compression, page version and encoding
DIRECTORY/layouts.json  that table's values
DIRECTORY/odd/          tables that are to be refused, or of another form

The files of one version of the programs are the same each time. With "full" three
files of the published size instead, 500 images of 163 kB in 9000 rows: as pyarrow
writes by itself (one row group, a thousand images a page), in row groups of 100, and
as datasets writes.
"""

import base64
import io
import json
import pathlib
import random
import shutil
import sys

import datasets
import pyarrow as pa
import pyarrow.parquet as pq
from PIL import Image, ImageDraw

SPLITS = ["adversarial", "popular", "random"]  # in the order of the published set
COCO = [310196, 210789, 1171]  # numbers of three of its images; the last is one of the eval partition
OBJECTS = {  # per image: three that are there, then per split three that are not
    310196: (["snowboard", "person", "skis"], {"adversarial": ["car", "truck", "backpack"], "popular": ["chair", "car", "dining table"], "random": ["orange", "zebra", "toaster"]}),
    210789: (["umbrella", "dog", "bench"], {"adversarial": ["chair", "handbag", "cup"], "popular": ["person", "chair", "car"], "random": ["airplane", "kite", "oven"]}),
    1171: (["cat", "bed", "book"], {"adversarial": ["chair", "couch", "cup"], "popular": ["dining table", "person", "car"], "random": ["elephant", "surfboard", "apple"]}),
}


def jpeg(seed):
    """A picture of 64 by 48 that no other seed has, in few bytes."""
    rng = random.Random(seed)
    picture = Image.new("RGB", (64, 48), tuple(rng.randrange(256) for _ in range(3)))
    draw = ImageDraw.Draw(picture)
    for _ in range(3):
        x, y = rng.randrange(40), rng.randrange(30)
        draw.rectangle([x, y, x + 20, y + 14], fill=tuple(rng.randrange(256) for _ in range(3)))
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=20, optimize=True)
    return out.getvalue()


def pope(split):
    """The rows of a split. One question has the misspelling of the published set."""
    rows = []
    for image in COCO:
        there, absent = OBJECTS[image]
        for pair in zip(there, absent[split]):
            for name, answer in zip(pair, ["yes", "no"]):
                article = "an" if name[0] in "aeiou" else "a"
                place = "imange" if split == "adversarial" and name == "umbrella" else "image"
                rows.append({
                    "id": "",
                    "question_id": str(len(rows) + 1),
                    "question": f"Is there {article} {name} in the {place}?",
                    "answer": answer,
                    "image_source": f"COCO_val2014_{image:012d}",
                    "image": {"bytes": jpeg(image), "path": None},
                    "category": split,
                })
    return rows


IMAGE = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
TEXTS = ["id", "question_id", "question", "answer", "image_source"]
SCHEMA = pa.schema([(name, pa.string()) for name in TEXTS] + [("image", IMAGE), ("category", pa.string())])
FEATURES = datasets.Features({**{name: datasets.Value("string") for name in TEXTS}, "image": datasets.Image(), "category": datasets.Value("string")})

CARD = """---
dataset_info:
{info}configs:
- config_name: Full
  data_files:
  - split: adversarial
    path: Full/adversarial-*
  - split: popular
    path: Full/popular-*
  - split: random
    path: Full/random-*
- config_name: default
  data_files:
  - split: test
    path: data/test-*
---
# POPE in small

A stand-in of the published set's form, for tests.
"""


def write_pope(to):
    rows = [row for split in SPLITS for row in pope(split)]
    for i, row in enumerate(rows):
        row["id"] = str(i)
    (to / ".gitattributes").write_text("*.parquet filter=lfs diff=lfs merge=lfs -text\n")
    (to / "data").mkdir()
    (to / "Full").mkdir()
    third = len(rows) // 3
    info = "- config_name: Full\n  splits:\n"
    for i, split in enumerate(SPLITS):
        table = pa.Table.from_pylist(rows[i * third : (i + 1) * third], SCHEMA)
        pq.write_table(table, to / "data" / f"test-{i:05d}-of-00003.parquet", row_group_size=7)
        full = datasets.Dataset.from_list([{**row, "id": str(j)} for j, row in enumerate(table.to_pylist())], features=FEATURES)
        full.to_parquet(str(to / "Full" / f"{split}-00000-of-00001.parquet"))
        info += f"  - name: {split}\n    num_bytes: {table.nbytes}\n    num_examples: {third}\n"
    info += f"- config_name: default\n  splits:\n  - name: test\n    num_bytes: {pa.Table.from_pylist(rows, SCHEMA).nbytes}\n    num_examples: {len(rows)}\n"
    (to / "README.md").write_text(CARD.format(info=info))


def layout_table():
    """A table of every kind of column that is read, with values missing."""
    rng = random.Random(1)
    images = [rng.randbytes(n) for n in (0, 1, 90, 200)]
    n = 40
    gap = lambda i, v: None if i % 7 == 3 else v
    return pa.table({
        "text": pa.array([gap(i, f"row {i // 3}: Ü" + "x" * (i % 5)) for i in range(n)], pa.string()),
        "whole": pa.array([gap(i, (i * 7919) % 101 - 50) for i in range(n)], pa.int64()),
        "small": pa.array([gap(i, i * i) for i in range(n)], pa.int32()),
        "large": pa.array([(-1) ** i * 2 ** (i + 23) for i in range(n)], pa.int64()),
        "number": pa.array([gap(i, i / 8) for i in range(n)], pa.float64()),
        "single": pa.array([i / 4 for i in range(n)], pa.float32()),
        "truth": pa.array([gap(i, i % 3 == 0) for i in range(n)], pa.bool_()),
        "none": pa.array([None] * n, pa.string()),
        "image": pa.array([None if i % 11 == 5 else {"bytes": gap(i, images[i // 2 % 4]), "path": gap(i + 1, f"{i}.jpg")} for i in range(n)], IMAGE),
    })


def write_layouts(to):
    table = layout_table()
    small = dict(store_schema=False, write_statistics=False)
    for codec in ["none", "snappy", "gzip", "brotli", "lz4", "zstd"]:
        for version in ["1.0", "2.0"]:
            pq.write_table(table, to / f"{codec}-{version[0]}.parquet", compression=codec, data_page_version=version,
                           use_dictionary=version == "1.0", row_group_size=25, **small)
    plain = dict(use_dictionary=False, compression="snappy")
    pq.write_table(table, to / "plain.parquet", **plain)
    delta = {"text": "DELTA_BYTE_ARRAY", "none": "DELTA_LENGTH_BYTE_ARRAY", "whole": "DELTA_BINARY_PACKED", "small": "DELTA_BINARY_PACKED",
             "large": "DELTA_BINARY_PACKED", "truth": "RLE", "image.bytes": "DELTA_LENGTH_BYTE_ARRAY", "image.path": "DELTA_BYTE_ARRAY"}
    for version in ["1.0", "2.0"]:
        pq.write_table(table, to / f"delta-{version[0]}.parquet", data_page_version=version, column_encoding=delta, **plain)
    pq.write_table(table, to / "checksums.parquet", write_page_checksum=True, compression="zstd")
    pq.write_table(table, to / "small-pages.parquet", data_page_size=64, write_batch_size=4, write_page_index=True)
    pq.write_table(table, to / "one-row-groups.parquet", row_group_size=11, use_dictionary=["image.bytes"], **small)
    large = table.set_column(0, "text", table["text"].cast(pa.large_string()).dictionary_encode())
    pq.write_table(large, to / "large-types.parquet")
    coded = lambda v: {"base64": base64.b64encode(v).decode()} if isinstance(v, bytes) else v
    flat = table.flatten().to_pydict()
    (to.parent / "layouts.json").write_text(json.dumps({name: [coded(v) for v in values] for name, values in flat.items()}, indent=1, ensure_ascii=False) + "\n")


def write_odd(to):
    rows = pope("random")[:6]
    table = pa.Table.from_pylist(rows, SCHEMA)
    write = lambda t, name, **kw: pq.write_table(t, to / f"{name}.parquet", **kw)
    write(table.slice(0, 0), "no-rows")
    write(table.rename_columns(["id", "question_id", "question", "anwser", "image_source", "image", "category"]), "misspelt")
    write(table.drop_columns(["image", "image_source"]), "no-image")
    write(table.set_column(3, "answer", pa.array([0.5] * 6)), "number-answers")
    write(table.set_column(5, "image", pa.array([[row["image"]["bytes"]] for row in rows], pa.list_(pa.binary()))), "image-list")
    paths = [{"bytes": None, "path": row["image_source"] + ".jpg"} for row in rows]
    write(table.set_column(5, "image", pa.array(paths, IMAGE)), "paths")
    nothing = pa.array([{"bytes": None, "path": None}] * 6, IMAGE)
    write(table.set_column(5, "image", nothing), "no-bytes")
    write(table.set_column(5, "image", pa.array([{"bytes": b"", "path": None}] * 6, IMAGE)), "empty-bytes")
    write(table.set_column(5, "image", pa.array([row["image"]["bytes"] for row in rows], pa.binary())), "plain-image")
    numbers = table.set_column(1, "question_id", pa.array(range(1, 7), pa.int64()))
    write(numbers.drop_columns(["id"]), "number-ids")
    write(table.drop_columns(["image_source"]), "no-source")
    claims = pa.table({"image": table["image"], "claim": [f"There is a thing {i}." for i in range(6)], "label": [i % 2 == 0 for i in range(6)]})
    write(claims, "claims")
    labels = datasets.Dataset.from_list(rows, features=datasets.Features({**FEATURES, "answer": datasets.ClassLabel(names=["no", "yes"])}))
    labels.to_parquet(str(to / "class-labels.parquet"))
    latin = pa.array([b"Is there a caf\xe9 in the image?"] * 6, pa.binary()).view(pa.string())
    write(table.set_column(2, "question", latin), "not-utf8")


def write_full(to):
    rng = random.Random(2)
    images = [rng.randbytes(163466) for _ in range(500)]
    for number, split in enumerate(SPLITS):
        rows = [{
            "id": str(3000 * number + i),
            "question_id": str(i + 1),
            "question": f"Is there a thing{i % 6} in the image?",
            "answer": ["yes", "no"][i % 2],
            "image_source": f"COCO_val2014_{i // 6:012d}",
            "image": {"bytes": images[i // 6], "path": None},
            "category": split,
        } for i in range(3000)]
        name = to / f"test-{number:05d}-of-00003.parquet"
        if number == 2:
            datasets.Dataset(pa.Table.from_pylist(rows, SCHEMA)).cast(FEATURES).to_parquet(str(name))
        else:
            pq.write_table(pa.Table.from_pylist(rows, SCHEMA), name, row_group_size=[None, 100][number])


def main():
    top = pathlib.Path(sys.argv[1])
    if sys.argv[2:] == ["full"]:
        return write_full(top)
    for name, make in {"pope": write_pope, "layouts": write_layouts, "odd": write_odd}.items():
        shutil.rmtree(top / name, ignore_errors=True)
        (top / name).mkdir(parents=True)
        make(top / name)


if __name__ == "__main__":
    main()
