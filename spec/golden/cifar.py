"""Writes spec/vision/files/cifar_protocol2.pkl and ...4.pkl: a batch in the form of CIFAR's version for Python, as Python 3 pickles it.

    python spec/golden/cifar.py
"""
import os
import pickle

import numpy as np

files = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "vision", "files")
data = (np.arange(2 * 3072) % 251).astype(np.uint8).reshape(2, 3072)
for protocol in (2, 4):
    with open(os.path.join(files, f"cifar_protocol{protocol}.pkl"), "wb") as f:
        pickle.dump({"labels": [4, 2], "data": data, "filenames": ["a.png", "b.png"]}, f, protocol=protocol)
