"""Parts of other packages that Tocha has in torch: data sets, summaries, metrics, TensorBoard. Imported when a program asks."""
import importlib
import os
import types

import numpy as np
import torch

DATASETS = types.ModuleType("datasets")


def digits():
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
    path = os.environ.get("DIGITS_CSV") or os.path.join(root, "data", "digits.csv")
    a = np.loadtxt(path, delimiter=",", dtype=np.int64)
    x = torch.from_numpy(a[:, :64].astype(np.float32)).view(-1, 1, 8, 8) / 16
    return torch.utils.data.TensorDataset(x, torch.from_numpy(a[:, 64].copy()))


DATASETS.Digits = digits


def tensors(values):
    """Returns the values with tensors for arrays, as torch.datasets gives them."""
    return tuple(torch.from_numpy(np.ascontiguousarray(v)) if isinstance(v, np.ndarray) else v for v in values)


def from_sklearn(module, name):
    """Returns a function of scikit-learn that takes and gives tensors for arrays."""
    def f(*arguments, **keywords):
        arguments = [np.asarray(a) for a in arguments] if name == "train_test_split" else \
            [tuple(a) if isinstance(a, list) and name in ("make_moons", "make_circles") else a for a in arguments]
        keywords = {k: v.numpy() if isinstance(v, torch.Tensor) else tuple(v) if k == "center_box" else v for k, v in keywords.items()}
        return tensors(getattr(importlib.import_module(module), name)(*arguments, **keywords))
    return f


for maker in "moons circles blobs classification regression s_curve swiss_roll".split():
    setattr(DATASETS, "make_" + maker, from_sklearn("sklearn.datasets", "make_" + maker))
DATASETS.train_test_split = from_sklearn("sklearn.model_selection", "train_test_split")

COMPANIONS = {
    (torch, "datasets"): lambda: DATASETS,
    (torch, "summary"): lambda: importlib.import_module("torchinfo").summary,
    (torch, "metrics"): lambda: importlib.import_module("torchmetrics"),
    (torch.utils, "tensorboard"): lambda: importlib.import_module("torch.utils.tensorboard"),
}


def attribute(space, name):
    """Returns a member of one of PyTorch's modules, or of a companion."""
    companion = COMPANIONS.get((space, name))
    return companion() if companion else getattr(space, name)
