"""The PyTorch side of the table for a GPU, single operators of matrices of 4096 x 4096; operators_cuda.lua is the Tocha side.

    operators_cuda.py speed [PATTERN]   see measuring_cuda.py
"""
import functools

import torch

from measuring_cuda import case, cuda, main, rand, sized

SIZE = sized(4096, 32)


def matrix(dtype, rows=SIZE):
    x = rand(rows, SIZE)
    return (x if dtype.is_floating_point else x * 100).to(dtype)


# Functions that make the arguments named in a line, given the type.
makers = {
    "x": matrix,
    "y": matrix,
    "row": lambda dtype: matrix(dtype, 1),
    "transposed": lambda dtype: matrix(dtype).T,
    "mask": lambda dtype: rand(SIZE, SIZE) > 0.5,
    "places": lambda dtype: torch.randint(0, SIZE, (SIZE, SIZE), device=cuda),
    "some": lambda dtype: torch.randint(0, SIZE, (SIZE,), device=cuda),
}


def argument(word, dtype):
    if word in makers:
        return makers[word](dtype)
    if "," in word:
        return [SIZE if number == "4096" else int(number) for number in word.split(",") if number]
    return float(word) if "." in word else int(word)


def add_case(path, words, moved, dtype):
    @case(f"{path}({', '.join(words)}), 16M {dtype}", round(moved * getattr(torch, dtype).itemsize * SIZE * SIZE))
    def _():
        f = functools.reduce(getattr, path.split("."), torch)
        arguments = [argument(word, getattr(torch, dtype)) for word in words]

        @torch.no_grad()
        def call():
            return f(*arguments)

        return call


for line in open("bench/operators_cuda.tsv", encoding="utf-8"):
    if not line.startswith("#"):
        path, words, moved, dtypes = line.split("\t")
        for dtype in dtypes.split():
            add_case(path, words.split(), float(moved), dtype)

main()
