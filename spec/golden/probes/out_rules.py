"""Asks how PyTorch treats out=, by calls with tensors of other dtypes, sizes and memory."""
import itertools, re
import torch
from ops import arguments, function

DTYPES = [torch.bool, torch.int32, torch.int64, torch.float16, torch.float32, torch.float64]
SCALAR = dict(zip(DTYPES, ["Bool", "Int", "Long", "Half", "Float", "Double"]))
CPP = dict(zip(DTYPES, ["bool", "int", "long int", "c10::Half", "float", "double"]))
DEFAULT_WORDS = {
    "result type {result} can't be cast to the desired output type {out}": "cast",
    "Found dtype {out} but expected {result}": "same",
    "Expected out tensor to have dtype {result_c}, but got {out_c} instead": "exact",
}


class Call:
    """A sample call of an operator, made again for each question: out= changes its arguments."""

    def __init__(self, op, call, cast=lambda spec: None, layout=None):
        self.op, self.again = op, lambda: arguments(op, call, cast, layout=layout)
        self.args, self.kw, _ = self.again()
        torch.manual_seed(1)
        found = function(op)(*self.args, **self.kw)
        self.many = isinstance(found, tuple)
        self.results = list(found) if self.many else [found]

    def outs(self, changed={}):
        outs = [changed.get(k, torch.empty(0, dtype=t.dtype)) for k, t in enumerate(self.results)]
        return tuple(outs) if self.many else outs[0]

    def refusal(self, outs, change=lambda args, kw: None):
        """Returns the error of the call with out=, or None."""
        args, kw, _ = self.again()
        change(args, kw)
        torch.manual_seed(1)
        try:
            function(self.op)(*args, **{**kw, "out": outs})
        except Exception as e:
            return e
        return None

    def refusal_of_dtype(self, dtype):
        """Returns the error of the call with dtype= in place of out=, or None."""
        args, kw, _ = self.again()
        try:
            function(self.op)(*args, **{**kw, "dtype": dtype})
        except Exception as e:
            return e
        return None


def line(error):
    return str(error).split("\n")[0]


def said(error):
    """Returns the first line of an error, after its kind if it is a TypeError."""
    return ("TypeError: " if isinstance(error, TypeError) else "") + line(error)


def castable(source, target):
    category = lambda d: 0 if d == torch.bool else 2 if d.is_floating_point else 1
    return category(source) <= category(target)


def refused(call, k):
    """Returns {dtype: error} of the dtypes that out number k may not have."""
    found = {d: call.refusal(call.outs({k: torch.empty(0, dtype=d)})) for d in DTYPES}
    return {d: e for d, e in found.items() if e is not None}


def filled(words, result, out):
    return words.format(result=SCALAR[result], out=SCALAR[out], result_c=CPP[result], out_c=CPP[out])


NAME = re.compile("(%s)(?![a-z0-9])|(?<![\\w:])(%s)(?!\\w)" % ("|".join(SCALAR.values()), "|".join(CPP.values())))


def template(rows):
    """Returns the words of the refusals (text, dtype of the result, dtype of out), or, if there are several, those of the majority."""
    for words in DEFAULT_WORDS:
        if rows and all(filled(words, r, o) == text for text, r, o in rows):
            return words
    groups = {}
    for row in rows:
        groups.setdefault(NAME.sub("#", row[0]), []).append(row)
    rows = max(groups.values(), key=len)
    words, at = "", 0
    for names in zip(*[list(NAME.finditer(text)) for text, _, _ in rows]):
        words += rows[0][0][at:names[0].start()] + place([n.group(0) for n in names], rows)
        at = names[0].end()
    return words + rows[0][0][at:]


def place(names, rows):
    """Returns the mark for what changes with the dtypes of rows, or the name that does not."""
    for column, mark in ((2, "out"), (1, "result")):
        for table, suffix in ((SCALAR, ""), (CPP, "_c")):
            if (mark == "out" or len(set(names)) > 1) and names == [table[row[column]] for row in rows]:
                return "{%s%s}" % (mark, suffix)
    return names[0]


def dtype_rule(calls, k):
    """Returns the dtypes that out number k may have, and the refusals (text, dtype of the result, dtype of out) of the others,
    but for those of the dtype itself, which dtype= has, too."""
    wrong = refused(calls[0], k)
    same = set(wrong) == set(DTYPES) - {calls[0].results[k].dtype}
    rows = [(said(e), call.results[k].dtype, d) for call in calls for d, e in refused(call, k).items()]
    if stands_for_dtype(calls[0]):
        rows = [row for row in rows if row[0] != said(calls[0].refusal_of_dtype(row[2]))]
        return "dtype", rows
    return ("any" if not wrong else "same" if same else "cast"), rows


def words_of(dtype, rows):
    """Returns the dtypes in the words of DEFAULT_WORDS if they say it; the words if they do not; and those for dtypes that the
    result cannot be cast to, if they are others."""
    if not rows:
        return dtype, None, None
    plain = [row for row in rows if castable(row[1], row[2])]
    words, hard = template(plain or rows), template([row for row in rows if row not in plain]) if plain and len(plain) < len(rows) else None
    hard = hard if hard != words else None
    default = DEFAULT_WORDS.get(words)
    if dtype == default or (dtype, default) == ("same", "exact"):
        return default, None, hard
    return dtype, words, hard


def stands_for_dtype(call):
    """Returns True if out's dtype is that of the result, as dtype= would be."""
    if "dtype" not in call.op["parameters"] or any(a["name"] == "dtype" for a in call.op["calls"][0]["positional"]) or "dtype" in call.kw:
        return False
    def with_dtype(args, kw):
        kw["dtype"] = torch.float32
    out = lambda: call.outs({0: torch.empty(0, dtype=torch.float64)})
    return call.refusal(out()) is None and call.refusal(out(), with_dtype) is not None


def tensors(args, kw):
    return [t for a in args + list(kw.values()) for t in (a if isinstance(a, list) else [a]) if isinstance(t, torch.Tensor)]


def overlap(call, i, full):
    """Calls with an out in the memory of tensor i, all of it or not. Returns True if that is refused, False if it is not, None if
    it cannot be asked of this call; and the out."""
    read, result = tensors(call.args, call.kw)[i], call.results[0]
    out = torch.empty(0, dtype=result.dtype)
    if not read.numel() or not result.numel() or full and (read.shape != result.shape or read.itemsize != result.itemsize):
        return None, out

    def share(args, kw):
        t = tensors(args, kw)[i]
        values, memory = t.clone(), torch.zeros(4 * max(t.nbytes, result.nbytes) + 64, dtype=torch.uint8).untyped_storage()
        t.set_(memory, 0, t.shape, torch.empty(t.shape).stride())
        t.copy_(values)
        shape = result.shape if full or result.numel() > 1 else (2, *result.shape)
        out.set_(memory, 0 if full else 1, shape, torch.empty(shape).stride())
    found = call.refusal(call.outs({0: out}), share)
    return (None if found is not None and "unsupported operation" not in str(found) else found is not None), out


def memory(calls):
    """Returns what memory of the first input that can be asked out may not share: "overlaps" any, "partial" none but all of it,
    "apart" none."""
    def answers(full):
        for i in range(len(tensors(calls[0].args, calls[0].kw))):
            found = {overlap(call, i, full)[0] for call in calls if i < len(tensors(call.args, call.kw))} - {None}
            if found:
                return found
        return set()
    if True not in answers(False):
        return "overlaps"
    return "partial" if False in answers(True) else "apart"


def recorder(call):
    """Returns the function whose error says that calls with out= are not differentiated; "aten" if only an out that requires grad is refused."""
    def require(args, kw):
        for t in tensors(args, kw):
            if t.is_floating_point():
                t.requires_grad_()
    said = re.compile(r"(.*)\(\): functions with out=")
    found = said.match(line(call.refusal(call.outs(), require)))
    if found:
        return found.group(1)
    outs = [torch.empty(0, dtype=t.dtype if t.is_floating_point() or call.many else torch.float32) for t in call.results]
    for t in outs:
        if t.is_floating_point():
            t.requires_grad_()
    found = said.match(line(call.refusal(tuple(outs) if call.many else outs[0])))
    return found.group(1) if found else False


def spoiled(value):
    """Returns other values of an argument, which make many calls fail."""
    if isinstance(value, torch.Tensor):
        return [torch.ones(shape, dtype=value.dtype) for shape in ((7, 5, 3, 2), (), (7,))]
    if isinstance(value, list) and value:
        return [[value[0], spoiled(value[0])[0]]] if isinstance(value[0], torch.Tensor) else [[99]]
    return [99, -99] if isinstance(value, (int, float)) and not isinstance(value, bool) else []


def looks_first(call, wrong):
    """Returns True if the dtype of out, which is that of the first tensor, is refused before other mistakes in a call: with as many
    of the arguments as not."""
    dtype, error = next(iter(wrong.items()))
    says = []
    read = tensors(call.args, call.kw)
    if not read or read[0].dtype != call.results[0].dtype and call.op["lua_name"] != "multinomial":
        return False
    for key, value in [*enumerate(call.args), *call.kw.items()]:
        found = []
        for other in spoiled(value):
            def change(args, kw):
                (kw if key in kw else args)[key] = other
            if call.refusal(call.outs(), change) is not None:
                found.append(line(call.refusal(call.outs({0: torch.empty(0, dtype=dtype)}), change)) == line(error))
        if found:
            says.append(all(found))
    return bool(says) and sum(says) * 2 >= len(says)


def casts(values):
    """Returns a function that gives floating-point tensors of a sample another dtype; bool is given to all."""
    return lambda spec: values if values == "bool" or spec["values"] in ("float", "positive", "unit", "sorted") else None


def usable(op, sample, cast=None):
    """Returns the sample call if it takes out=, or None."""
    try:
        call = Call(op, sample, casts(cast))
    except Exception:
        return None
    good = all(isinstance(t, torch.Tensor) for t in call.results) and call.refusal(call.outs()) is None
    return call if good else None


def small(sample):
    """Returns the sample call with tensors of one element."""
    one = lambda a: {**a, "shape": [1] * len(a["shape"]), "limit": 1} if a["kind"] == "tensor" else a
    return {**sample, "positional": [one(a) for a in sample["positional"]]}


def shapes(call):
    """Returns the facts counted, copies and distinct of out= (facts.py)."""
    out, result = {}, call.results[0]
    shape = [1, result.numel()] if result.ndim == 1 else [result.numel()]
    counted = torch.empty(shape, dtype=result.dtype)
    call.refusal(call.outs({0: counted}))
    out["counted"] = result.ndim > 0 and list(counted.shape) == shape
    wide = torch.ones([2, *result.shape], dtype=result.dtype, requires_grad=result.is_floating_point())
    found = re.match(r"(\w+)\(\): the 'out' tensor was specified and requires gradients", line(call.refusal(call.outs({0: wide}))))
    out["copies"] = found and found.group(1)
    if call.many and result.dtype == call.results[1].dtype:
        both = torch.empty(result.shape, dtype=result.dtype)
        found = call.refusal(call.outs({0: both, 1: both}))
        out["distinct"] = isinstance(found, ValueError) and line(found)
    return out


def refusals(call, wrong):
    """Returns the facts resizes and first of a refused out (facts.py)."""
    if not wrong:
        return {}
    nearest = next((d for d in wrong if castable(call.results[0].dtype, d)), next(iter(wrong)))
    empty = torch.empty(0, dtype=nearest)
    call.refusal(call.outs({0: empty}))
    return {"resizes": empty.shape == call.results[0].shape and empty.numel() > 0, "first": looks_first(call, wrong)}


def resized_for_memory(calls):
    """Returns True if an out of the first input's dtype that shares memory with an input has the result's shape when it is refused."""
    for call in calls:
        if call.results[0].dtype != next((t.dtype for t in tensors(call.args, call.kw)), None):
            continue
        for i in range(len(tensors(call.args, call.kw))):
            def share(args, kw):
                t = tensors(args, kw)[i]
                out.set_(t.untyped_storage(), 0, (1,), (1,))
            out = torch.empty(0, dtype=call.results[0].dtype)
            found = call.refusal(call.outs({0: out}), share)
            if found is not None and "unsupported operation" in str(found):
                return out.shape == call.results[0].shape and out.numel() > 1
    return False


def keeps_rows(op):
    """Returns True if out is laid out in rows although the result is not."""
    for sample, layout in itertools.product(op["calls"], (None, "reversed")):
        try:
            call = Call(op, sample, layout=layout)
        except Exception:
            continue
        empty = torch.empty(0, dtype=call.results[0].dtype)
        if call.refusal(call.outs({0: empty})) is None and not call.results[0].is_contiguous() and empty.is_contiguous():
            return True
    return False


def stands_for_floating_alone(op, sample):
    """Returns True if out's dtype does not stand for that of the result if the input is not floating."""
    args, kw, _ = arguments(op, sample, casts("int64"))
    if not any(t.dtype == torch.int64 for t in tensors(args, kw)):
        return False
    try:
        function(op)(*args, **kw, out=torch.empty(0, dtype=torch.float32))
    except Exception:
        return True
    return False


def rule(op):
    """Returns the rule of an operator's out=, or None if there is no out=."""
    samples = [sample for sample in op["calls"] if usable(op, sample)]
    if not samples or op["list"]:
        return None
    call = usable(op, samples[0])
    varied = [call] + [c for c in [usable(op, samples[0], "float64")] if c]
    found = [dtype_rule(varied, k) for k in range(len(call.results))]
    dtype, words, hard = words_of(*found[0])
    out = {"dtype": dtype, "words": [words] if words else [], "uncastable": hard}
    if len(found) > 1 and found[1][1]:
        more = template(found[1][1])
        first = words or next((w for w, name in DEFAULT_WORDS.items() if name == dtype), None)
        if not all(first and filled(first, r, o) == text for text, r, o in found[1][1]):
            out["words"] = [first, more]
    wrong = refused(call, 0)
    calls = [c for s in samples + [small(samples[0])] for d in (None, "float64", "int64", "bool") for c in [usable(op, s, d)] if c]
    out.update(memory=memory(calls), recorder=recorder(call), contiguous=keeps_rows(op), **shapes(call), **refusals(call, wrong))
    out["floating"] = dtype == "dtype" and stands_for_floating_alone(op, samples[0])
    if wrong and out["memory"] != "overlaps" and not out["resizes"] and resized_for_memory(calls):
        out["resizes"] = "memory"
    elif wrong and dtype == "dtype" and not out["resizes"]:
        return {**{key: value for key, value in out.items() if value or key == "recorder"}, "resizes": False}
    return {key: value for key, value in out.items() if value or key == "recorder"}


def fact(op):
    """Returns rule(op) without defaults: a name alone if it says all. None: PyTorch has no out=."""
    out = rule(op)
    if not out:
        return None
    usual = {"memory": "partial" if op["elementwise"] else "overlaps", "recorder": ("linalg_" if "linalg" in op["forms"] else "") + op["lua_name"]}
    out = {key: value for key, value in out.items() if usual.get(key) != value}
    if out.get("resizes") is True and out["dtype"] == "dtype":
        del out["resizes"]
    return out["dtype"] if len(out) == 1 else out
