"""Asks what PyTorch does with the operators of the list under autocast. ops.py writes the answers.

  class   PyTorch's list of the operator. The dispatcher says if it has an autocast kernel. The installed header names the
          list for CUDA. The results of a call show the list for the CPU, and for CUDA if the header does not mention the
          operator;
  calls   for each sample call, by pattern, the dtypes of the results with its floating-point tensors in the types that
          the pattern names; "error" and its first line; absent if PyTorch could not be asked.
CUDA is asked with tensors that have shapes and types but no values (FakeTensorMode), so no GPU is needed."""
import contextlib, logging, os, re
import torch
import torch.nn.functional as F
from torch._subclasses.fake_tensor import FakeTensorMode

logging.disable(logging.CRITICAL)
FLOATS = ("float", "positive", "unit", "sorted")
LOWER = {"cpu": torch.bfloat16, "cuda": torch.float16}
PATTERNS = ("float32", "lower", "mixed", "mixed_too", "float64")


def types_of(pattern, device):
    lower, single = LOWER[device], torch.float32
    return {"float32": [single], "lower": [lower], "mixed": [single, lower], "mixed_too": [lower, single],
            "float64": [torch.float64]}[pattern]


def make(spec, types, device):
    n = 1
    for d in spec["shape"]:
        n *= d
    kind = spec["values"]
    if kind == "bool":
        t = torch.arange(n) % 2 == 1
    elif kind == "int":
        t = torch.arange(n) % spec["limit"]
    else:
        t = (torch.arange(n) + 1.0) / (n + 2)
    t = t + spec["offset"] if spec.get("offset") else t
    if spec.get("dominant"):
        rows, columns = spec["shape"][-2:]
        t = t + 4 * torch.tensor([k % columns == k // columns % rows for k in range(n)])
    if spec.get("dtype"):
        t = t.to(getattr(torch, spec["dtype"]))
    elif kind in FLOATS:
        t = t.to(types[0])
        types.append(types.pop(0))
    return t.reshape(spec["shape"]).to(device)


def value(arg, types, device):
    if arg["kind"] == "tensor":
        return make(arg, types, device)
    if arg["kind"] == "tensors":
        return [make(item, types, device) for item in arg["items"]]
    return getattr(torch, arg["value"]) if arg["kind"] == "dtype" else arg["value"]


def function(op, name=None):
    """Returns the function of PyTorch's for an operator, or that of another name in its place, or None."""
    for form in op["forms"]:
        place = {"torch": torch, "method": torch.Tensor, "nn.functional": F, "linalg": torch.linalg, "special": torch.special,
                 "aten": torch.ops.aten}[form]
        if hasattr(place, name or op["lua_name"]):
            return getattr(place, name or op["lua_name"])
    behind = op["lua_name"]   # an operator that a function in Python calls, such as tensordot
    return getattr(torch._VF, behind[1:], None) if behind.startswith("_") and not name else None


def dtypes(program, device, enabled=True):
    """Returns the dtypes of a program's results under autocast, or "error" and the first line. None: PyTorch could not be asked."""
    try:
        with contextlib.nullcontext() if device == "cpu" else FakeTensorMode(allow_non_fake_inputs=True):
            torch.set_autocast_enabled(device, enabled)
            try:
                out = program()
            finally:
                torch.set_autocast_enabled(device, False)
            out = list(out) if isinstance(out, (tuple, list)) and not isinstance(out, torch.Size) else [out]
            return " ".join(str(r.dtype)[6:] if isinstance(r, torch.Tensor) else "-" for r in out)
    except Exception as e:
        if "fake" in str(type(e)).lower() or "fake" in str(e).lower() or "meta" in str(e).lower() or not str(e):
            return None
        return "error " + str(e).split("\n")[0]


def answer(op, call, pattern, device, enabled=True):
    """Returns dtypes() of a sample call whose floating-point tensors have the types of a pattern."""
    def program():
        types = types_of(pattern, device)
        args = [value(a, types, device) for a in call["positional"]]
        keywords = {{"self": "input", "stop": "end"}.get(k, k): value(a, types, device)
                    for k, a in sorted(call.get("keywords", {}).items())}
        return function(op)(*args, **keywords)
    return dtypes(program, device, enabled)


# --- classes -----------------------------------------------------------------------------------------------
KEYS = {"cpu": "AutocastCPU", "cuda": "AutocastCUDA"}
KERNELS = {d: {n[6:].split(".")[0] for n in torch._C._dispatch_get_all_op_names()
               if n.startswith("aten::") and torch._C._dispatch_has_kernel_for_dispatch_key(n, k)} for d, k in KEYS.items()}
header = open(os.path.join(os.path.dirname(torch.__file__), "include", "ATen", "autocast_mode.h")).read()


def listed(macro):
    body = re.search(r"#define " + macro + r"\(_\)((?:.*\\\n)*.*)\n", header).group(1)
    return set(re.findall(r"_\((?:ADD_NS\()?(\w+)", body))


LISTS = {"lower": listed("AT_FORALL_LOWER_PRECISION_FP"), "float32": listed("AT_FORALL_FP32"),
         "float32_dtype": listed("AT_FORALL_FP32_SET_OPT_DTYPE") | listed("AT_FORALL_DIFFERENT_REDISPATCH_SIGNATURE"),
         "widest": listed("AT_FORALL_PROMOTE"), "refuse": {"binary_cross_entropy"}}


def aten_name(op):
    prefix = "linalg_" if op["forms"] == ["linalg"] else ""
    return {"cross_entropy": "cross_entropy_loss", "_tensordot": "tensordot"}.get(op["lua_name"], prefix + op["lua_name"])


def class_of(op, device, results):
    name = aten_name(op)
    if name not in KERNELS[device]:
        return None
    if device == "cuda":
        found = next((c for c, names in LISTS.items() if name in names), None)
        if found:
            return found
    first = results[0]
    if first["float32"] == "bfloat16":
        return "lower"
    found = {row["lower"].startswith("float32") for row in results}   # pools return indices, too
    return None if len(found) > 1 else "float32" if True in found else "widest"   # else: made of one that has a class, if at all


def answers(op):
    """Returns {"cpu": {"class": ..., "calls": [...]}, "cuda": ...}; None for an operator that writes in place."""
    if op["lua_name"].endswith("_"):
        return None
    out = {}
    for device in KEYS:
        rows = [{p: answer(op, call, p, device) for p in PATTERNS} for call in op["calls"]]
        out[device] = {"class": class_of(op, device, rows),
                       "calls": [{p: text for p, text in row.items() if text is not None} for row in rows]}
    return {d: {k: v for k, v in a.items() if v is not None} for d, a in out.items()}
