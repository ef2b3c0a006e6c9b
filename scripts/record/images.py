"""Records what the published image processors of the Qwen lines make of images.

    scripts/record.sh images [FOLDER]

FOLDER/sizes.tsv.gz   family, width, height, least and most pixels, and the size that
                      the processor's smart resize gives; 0 0 where it refuses.
                      2000 random rows a family, half of them with other limits than
                      the engine's
FOLDER/NAME.EXT       images drawn here, each of another kind of file
FOLDER/NAME@FAMILY.png  the pixels that FAMILY's processor hands its model for that file

The processor of all three lines is the class that transformers' AutoImageProcessor
names for them, in its Pillow form, with the patch size and limits of the line: those
of the model cards, but for the most pixels, which are the engine's.
"""

import gzip
import pathlib
import random
import sys

import numpy as np
from PIL import Image, ImageDraw
from transformers.models.auto.image_processing_auto import IMAGE_PROCESSOR_MAPPING_NAMES
from transformers.models.qwen2_vl import image_processing_pil_qwen2_vl as qwen

FAMILIES = {  # name: (model type, patch, least pixels, most pixels)
    "qwen2.5vl": ("qwen2_5_vl", 14, 56 * 56, 2 << 20),
    "qwen3vl": ("qwen3_vl", 16, 64 << 10, 2 << 20),
    "qwen3.5": ("qwen3_5", 16, 64 << 10, 2 << 20),
}
MERGE = 2
ROWS = 2000


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    for name, (kind, *_) in FAMILIES.items():
        named = IMAGE_PROCESSOR_MAPPING_NAMES[kind]["pil"]
        assert named == qwen.Qwen2VLImageProcessorPil.__name__, (name, named)
    (out / "sizes.tsv.gz").write_bytes(gzip.compress("".join(sizes()).encode(), mtime=0))
    for path in draw(out):
        for name in FAMILIES:
            if name == "qwen3vl":  # the same as Qwen3.5's
                continue
            seen(path, name).save(out / f"{path.stem}@{name}.png", optimize=True)


def sizes():
    rng = random.Random(5)
    for name, (_, patch, least, most) in FAMILIES.items():
        factor = patch * MERGE
        for row in range(ROWS):
            width, height = (int(2 ** rng.uniform(0, 13.5)) for _ in "wh")
            if rng.random() < 0.1:  # at the limit of the proportions, where few would fall
                height = max(1, int(width / rng.uniform(190, 205)))
            lo, hi = least, most
            if row % 2:
                lo = int(2 ** rng.uniform(8, 20))
                hi = int(lo * 2 ** rng.uniform(0, 8))
            try:
                h, w = qwen.smart_resize(height, width, factor, lo, hi)
            except ValueError:
                h, w = 0, 0
            yield f"{name}\t{width}\t{height}\t{lo}\t{hi}\t{w}\t{h}\n"


def draw(out):
    """Images whose colours meet at hard edges, with detail near the limit of the grid."""
    scene = picture(300, 200, 1)
    yield saved(scene, out / "scene.png", optimize=True)
    yield saved(scene, out / "scene420.jpg", quality=90, subsampling="4:2:0")
    yield saved(scene, out / "scene422.jpg", quality=90, subsampling="4:2:2", progressive=True)
    yield saved(picture(299, 201, 1), out / "odd420.jpg", quality=90, subsampling="4:2:0")
    yield saved(scene, out / "lossy.webp", quality=90)
    yield saved(picture(91, 70, 2), out / "small.png", optimize=True)  # enlarged by all
    yield saved(picture(1000, 52, 3), out / "long420.jpg", quality=90, subsampling="4:2:0")


def saved(image, path, **options):
    image.save(path, **options)
    return path


def picture(width, height, seed):
    rng, fine = random.Random(seed), 4
    image = Image.new("RGB", (width * fine, height * fine), (96, 128, 160))
    brush = ImageDraw.Draw(image)
    for i in range(14):
        x, y = rng.randrange(width * fine), rng.randrange(height * fine)
        side = rng.randrange(8, 60) * fine
        colour = tuple(rng.choice((10, 60, 128, 200, 245)) for _ in "rgb")
        shape = brush.ellipse if i % 2 else brush.rectangle
        shape((x, y, x + side, y + side // 2), fill=colour)
    for i in range(12):  # bars down to less than two pixels apart
        x = width * fine // 2 + i * (14 - i) * fine // 2
        brush.rectangle((x, 4, x + fine, 20 * fine), fill=(250, 250, 250))
    return image.resize((width, height), Image.Resampling.BOX)


def seen(path, name):
    """The image as the family's processor hands it to the model, before its mean and deviation."""
    _, patch, least, most = FAMILIES[name]
    processor = qwen.Qwen2VLImageProcessorPil(
        patch_size=patch, merge_size=MERGE, size={"shortest_edge": least, "longest_edge": most}, do_normalize=False,
    )
    with Image.open(path) as image:
        told = processor(images=image, return_tensors="np")
    _, rows, cols = told["image_grid_thw"][0]
    assert rows * cols == processor.get_number_of_image_patches(image.height, image.width)
    # Patches lie by blocks of MERGE × MERGE: (rows/2, cols/2, 2, 2, channel, frame, y, x).
    patches = told["pixel_values"].reshape(rows // MERGE, cols // MERGE, MERGE, MERGE, 3, 2, patch, patch)
    pixels = patches[:, :, :, :, :, 0].transpose(0, 2, 5, 1, 3, 6, 4).reshape(rows * patch, cols * patch, 3)
    return Image.fromarray(np.rint(pixels * 255).astype(np.uint8))


if __name__ == "__main__":
    main()
