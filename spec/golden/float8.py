"""Asks PyTorch about the float8 dtypes. `python spec/golden/float8.py` from the repository's root writes float8.json,
  decoded      for each dtype the bits in float32 of its 256 codes ("nan" for NaN);
  encoded      for each dtype sums over the codes of many float32 numbers: of the patterns (i << 16) + low for all 16-bit i and each low
               below, times i % 251 + 1, in 64 blocks;
  from, to     for each dtype and each other one, a sum over the bits of the 256 codes converted to that one, and of numbers of that one
               converted to the dtype;
  operators    for the sample calls that operators accept the results, or the refusal (the words of runtime/ops/*/pytorch.json);
  finfo        what torch.finfo prints;
  files        checkpoints/float8.pt and .safetensors are written."""
import json, os, warnings
import torch
from ops import arguments, describe, function, listing, results_of, root
from probes.float8 import DTYPES, FLOATS, inputs

warnings.filterwarnings("ignore")
LOWS = [0, 1, 0x7fff, 0x8000, 0x8001, 0xffff]
OTHERS = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64"]
FAMILIES_SKIPPED = ("empty",)
DIGITS = {torch.float8_e4m3fn: 4, torch.float8_e5m2: 4, torch.float8_e4m3fnuz: 4, torch.float8_e5m2fnuz: 4, torch.float8_e8m0fnu: 4}


def codes(dtype):
    return torch.arange(256, dtype=torch.uint8).view(getattr(torch, dtype))


def decoded(dtype):
    values = codes(dtype).float()
    return ["nan" if v != v else b for v, b in zip(values.tolist(), values.view(torch.int32).tolist())]


def encoded(dtype):
    i, out = torch.arange(65536), []
    for low in LOWS:
        bits = (i << 16) + low
        numbers = torch.where(bits >= 2 ** 31, bits - 2 ** 32, bits).to(torch.int32).view(torch.float32)
        found = numbers.to(getattr(torch, dtype)).view(torch.uint8).long() * (i % 251 + 1)
        out.append(found.view(64, 1024).sum(1).tolist())
    return out


def total(t):
    """Returns a sum over the elements: over floating-point ones as float64, in which NaN, which differs in its bits, counts as 12345,
    infinity as 54321 and others times their place, which is exact."""
    t = t.double()
    t = torch.nan_to_num(t, nan=12345.0, posinf=54321.0, neginf=-54321.0)
    return float((t * (torch.arange(t.numel()) % 7 + 1)).sum())


def finite(t):
    """NaN and infinity become an integer that depends on the processor, so they are left out."""
    return t[torch.isfinite(t.float())]


def converted(dtype, other):
    source = codes(dtype)
    if other in OTHERS[1:6]:   # numbers out of an integer's range depend on the processor, too
        numbers = finite(source)
        limit = {"uint8": 255, "int8": 127}.get(other, 30000)
        source = numbers[(numbers.float().abs() <= limit) & ((numbers.float() >= 0) | (other != "uint8"))]
    return total(source.to(getattr(torch, other)))


def numbers(other):
    if other == "bool":
        return torch.tensor([False, True])
    if other in ("float16", "bfloat16"):
        return torch.arange(-32768, 32768, dtype=torch.int32).to(torch.int16).view(getattr(torch, other))
    if other == "float32" or other == "float64":
        return torch.arange(-5000, 5000).to(getattr(torch, other)) * 0.37
    return torch.arange(-128 if other != "uint8" else 0, 128).to(getattr(torch, other)) * (1 if other in ("int8", "uint8") else 97)


def narrowed(dtype, other):
    return total(numbers(other).to(getattr(torch, dtype)).float())


def results(op, call, dtype):
    """Returns the results of a call with float8 tensors, or None if it is refused or has none."""
    changed = inputs(call, FLOATS) or inputs(call, ["int", "bool"])
    args, kw, _ = arguments(op, call, lambda spec: dtype if spec in changed else None)
    try:
        results_of(op, *arguments(op, call)[:2])
        found = results_of(op, args, kw if changed else {**kw, "dtype": getattr(torch, dtype)})
    except Exception:
        return None
    out = []
    for r in found:
        if isinstance(r, torch.Tensor):
            name = str(r.dtype)[6:]
            r = r.float() if r.dtype in DIGITS else r
            r = {**describe(r, any(word in op["lua_name"] for word in FAMILIES_SKIPPED)), "dtype": name}
        else:
            r = describe(r)
        out.append(r)
    return out


def of_operators(dtype):
    found = {}
    for op in listing():
        if function(op) is None or op["lua_name"].startswith("_scaled"):
            continue
        calls = [results(op, call, dtype) for call in op["calls"]]
        if any(calls):
            found[op["name"]] = calls
    return found


def write_files():
    from safetensors.torch import save_file
    tensors = {dtype: codes(dtype).reshape(16, 16) for dtype in DTYPES}
    folder = os.path.join(root, "spec", "golden", "checkpoints")
    x = tensors["float8_e4m3fn"]
    torch.save({**tensors, "view": x.t()[3], "parameter": torch.nn.Parameter(x, requires_grad=False), "dtype": torch.float8_e5m2},
               os.path.join(folder, "float8.pt"))
    save_file({name: tensors[name] for name in ("float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu")}, os.path.join(folder, "float8.safetensors"))


def main():
    out = {"decoded": {d: decoded(d) for d in DTYPES}, "encoded": {d: encoded(d) for d in DTYPES},
           "from": {d: {o: converted(d, o) for o in OTHERS + DTYPES} for d in DTYPES},
           "to": {d: {o: narrowed(d, o) for o in OTHERS} for d in DTYPES},
           "operators": {d: of_operators(d) for d in ("float8_e4m3fn", "float8_e8m0fnu")},
           "finfo": {d: str(torch.finfo(getattr(torch, d))) for d in DTYPES}}
    with open(os.path.join(root, "spec", "golden", "float8.json"), "w") as f:
        json.dump(out, f, separators=(",", ":"))
        f.write("\n")
    write_files()


if __name__ == "__main__":
    main()
