"""pictures.py: small images as Pillow writes them in .bmp, .ppm, .pgm, .pbm and .webp, and the same as .png, in which Pillow reads them
as RGB and as gray, for spec/vision/io_spec.lua: python spec/golden/pictures.py"""
import os
import struct

import numpy as np
from PIL import Image

here = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "vision", "files", "formats")


def bitmap(width, height, bits, rows, masks=b"", compression=0, palette=b"", top_down=False, head=40):
    info = struct.pack("<IiiHHIIiiII", head, width, -height if top_down else height, 1, bits, compression, 0, 0, 0, len(palette) // 4, 0)
    start = 14 + len(info) + len(masks) + len(palette)
    return b"BM" + struct.pack("<IHHI", start + len(rows), 0, 0, start) + info + masks + palette + rows


def main():
    os.makedirs(here, exist_ok=True)
    rng = np.random.default_rng(0)
    colors = Image.fromarray(rng.integers(0, 256, (5, 7, 3), dtype=np.uint8))
    gray = Image.fromarray(rng.integers(0, 256, (5, 7), dtype=np.uint8))
    alpha = Image.fromarray(rng.integers(0, 256, (5, 7, 4), dtype=np.uint8))

    def save(name, image, **options):
        image.save(os.path.join(here, name), **options)

    def write(name, data):
        with open(os.path.join(here, name), "wb") as f:
            f.write(data)

    save("rgb.bmp", colors)
    save("gray.bmp", gray)
    save("one.bmp", gray.convert("1"))
    save("palette.bmp", colors.convert("P", palette=Image.Palette.ADAPTIVE, colors=13))
    save("rgba.bmp", alpha)
    pixels = rng.integers(0, 65536, (5, 8), dtype=np.uint16).tobytes()
    write("555.bmp", bitmap(8, 5, 16, pixels))
    write("565.bmp", bitmap(8, 5, 16, pixels, struct.pack("<III", 0xF800, 0x7E0, 0x1F), 3))
    write("32.bmp", bitmap(4, 5, 32, pixels))
    write("down.bmp", bitmap(4, 5, 32, pixels, top_down=True))
    table = rng.integers(0, 256, (16, 4), dtype=np.uint8)
    table[:, 3] = 0
    write("four.bmp", bitmap(7, 5, 4, rng.integers(0, 256, 20, dtype=np.uint8).tobytes(), palette=table.tobytes()))
    save("rgb.ppm", colors)
    save("gray.pgm", gray)
    save("one.pbm", gray.convert("1"))
    write("text.ppm", b"P3\n# a comment\n2 2 255\n1 2 3 4 5 6\n7 8 9 10 11 255\n")
    write("text.pgm", b"P2 2 2 15 0 1 14 15\n")
    write("text.pbm", b"P1\n3 2\n101\n0 1 0\n")
    write("small.pgm", b"P5 2 2 100 " + bytes([0, 1, 50, 100]))
    write("wide.ppm", b"P6 2 1 1000\n" + struct.pack(">6H", 0, 1, 500, 999, 1000, 3))
    save("rgb.webp", colors, lossless=True)
    save("rgba.webp", alpha, lossless=True, exact=True)
    for name in sorted(os.listdir(here)):
        if not name.endswith(".png"):
            with Image.open(os.path.join(here, name)) as image:
                image.load()
                save(name + ".rgb.png", image.convert("RGB"))
                if image.mode in ("RGB", "L"):
                    save(name + ".gray.png", image.convert("L"))


main()
