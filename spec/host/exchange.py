"""exchange.py: tensors between Tocha and PyTorch (or NumPy) by DLPack, in one process: values, strides, offsets, dtypes, shared
memory, and owners that go in any order. Needs PyTorch. Prints what is wrong, and how many checks there were."""
import gc
import os
import sys

import numpy as np
import torch

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "examples", "host", "python"))
import dlpack  # noqa: E402

checks = wrong = 0


def check(what, holds):
    global checks, wrong
    checks += 1
    if not holds:
        wrong += 1
        print("not ok:", what)


def views(base):
    """Returns views of a tensor of 4 x 6 elements with strides, offsets, no dimensions, no elements."""
    return {"whole": base, "transposed": base.t(), "part": base[1:3, 2:], "steps": base[::2, ::3], "row": base[2], "one": base[1, 1],
            "empty": base[:0], "expanded": base[:, :1].expand(4, 5)}


context = dlpack.open_context(None)
for dtype in (torch.float32, torch.float64, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool, torch.float16, torch.bfloat16):
    base = (torch.arange(24).reshape(4, 6) % 2 == 0) if dtype == torch.bool else torch.arange(24).reshape(4, 6).to(dtype)
    for name, view in views(base).items():
        ours = dlpack.borrow(context, view)
        back = torch.from_dlpack(ours)
        what = "%s %s" % (dtype, name)
        check(what + ": dtype", back.dtype == dtype)
        check(what + ": shape", back.shape == view.shape)
        check(what + ": values", torch.equal(back, view))
        check(what + ": no copy", view.numel() == 0 or back.data_ptr() == view.data_ptr())
        check(what + ": strides", view.numel() < 2 or back.stride() == view.stride())
        del ours
        gc.collect()
        check(what + ": after Tocha's owner is gone", torch.equal(back, view))

a, b = torch.randn(3, 4), torch.randn(4, 2)
product = torch.from_dlpack(dlpack.borrow(context, a) @ dlpack.borrow(context, b))
check("a product of PyTorch's tensors", torch.allclose(product, a @ b))
product += 1
check("PyTorch may write into Tocha's memory", torch.allclose(product, a @ b + 1))

array = np.arange(6.0)
array.flags.writeable = False
try:
    check("NumPy's array that is read only comes back", np.array_equal(np.from_dlpack(dlpack.borrow(context, array)), array))
except (BufferError, RuntimeError):
    pass   # this NumPy does not lend such arrays

for order in range(2):
    ours = dlpack.borrow(context, torch.full((1000,), 7.0))
    theirs = torch.from_dlpack(ours)
    if order:
        del ours
    else:
        dlpack.close_context(context)
        context = dlpack.open_context(None)
        del ours
    gc.collect()
    check("values outlive their first owner", theirs.sum().item() == 7000)
    del theirs
try:
    dlpack.borrow(context, torch.zeros(2, dtype=torch.complex64))
    check("a dtype that Tocha lacks is refused", False)
except RuntimeError as problem:
    check("a dtype that Tocha lacks is refused: %s" % problem, "Complex" in str(problem))
dlpack.close_context(context)
print("%d checks, %d wrong" % (checks, wrong))
