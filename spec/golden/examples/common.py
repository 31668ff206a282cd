"""Shared by the programs of this folder: the handwritten digits as torch.datasets.Digits() serves them, and one thread."""
import os
import sys

import torch

torch.set_num_threads(1)
ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")


def digits():
    """images float32 (1797, 1, 8, 8) from 0 to 1, labels int64"""
    with open(os.path.join(ROOT, "data", "digits.csv")) as file:
        rows = torch.tensor([[int(n) for n in line.split(",")] for line in file])
    return (rows[:, :64].float() / 16).reshape(-1, 1, 8, 8), rows[:, 64].clone()


def large_digits():
    """the same at MNIST's size, 28x28"""
    images, labels = digits()
    return torch.nn.functional.interpolate(images, size=(28, 28), mode="bilinear"), labels


def sonnets():
    with open(os.path.join(ROOT, "examples", "pytorch", "data", "sonnets.txt")) as file:
        return file.read()
