"""Asks what operators do with float8 tensors, or to make some."""
from ops import FLOATS, arguments, results_of
import torch

DTYPES = ["float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu"]
NO_SUCH_CALL = ("unexpected keyword", "invalid combination", "takes no keyword")


def inputs(call, kinds):
    """Returns the tensors of a call whose sample values are of these kinds, and which no dtype is stated for."""
    specs = [item for a in call["positional"] + list(call.get("keywords", {}).values())
             for item in (a["items"] if a["kind"] == "tensors" else [a] if a["kind"] == "tensor" else [])]
    return [spec for spec in specs if spec.get("values") in kinds and not spec.get("dtype")]


def about_dtypes(line):
    return any(word in line for word in ("loat8_", "Float8", "dtype", "float and double"))


def answer(op, call, dtype):
    """Returns True if PyTorch takes the call with float8 tensors in place of the floating-point ones (of all tensors if there are
    none, dtype= if there is no tensor), else the first line of its error; None if it does not take the call anyway."""
    changed = inputs(call, FLOATS) or inputs(call, ["int", "bool"])
    args, kw, _ = arguments(op, call, lambda spec: dtype if spec in changed else None)
    try:
        results_of(op, *arguments(op, call)[:2])
        results_of(op, args, kw if changed else {**kw, "dtype": getattr(torch, dtype)})
    except Exception as e:
        line = str(e).split("\n")[0].replace(dtype.replace("f", "F", 1), "{dtype}")
        if any(words in line for words in NO_SUCH_CALL):
            return None
        return line if isinstance(e, NotImplementedError) else "RuntimeError: " + line
    return True


def answers(op, dtype):
    """Returns the answers to the sample calls, and those to calls with a number as the second of two operands."""
    plain, beside_number = [], []
    for call in op["calls"]:
        found = answer(op, call, dtype)
        second = call["positional"][1:2]
        number = second and second[0]["name"] in op["operands"] and second[0]["kind"] not in ("tensor", "tensors")
        if found is not None:
            (beside_number if number else plain).append(found)
    return plain, beside_number


def decided(op, answers):
    """Returns True if calls are accepted: the first, and not just one among many; one of an operator that is made of others, which refuse
    the rest. Else the first refusal that names a dtype, or the first."""
    refusals = [a for a in answers if a is not True]
    if not refusals or op["composite"] and len(refusals) < len(answers) or answers[0] is True and len(refusals) <= 2 * (len(answers) - len(refusals)):
        return True
    return next(filter(about_dtypes, refusals), refusals[0])


def fact(op):
    """Returns the refusal that all five dtypes meet; {words =, accepts =} if some are accepted; None if all are. beside_number: the
    refusal of a number beside a tensor, if it is another one."""
    found = {dtype: answers(op, dtype) for dtype in DTYPES}
    firsts = {dtype: decided(op, plain or numbers) for dtype, (plain, numbers) in found.items()}
    words = next((w for w in firsts.values() if w is not True), None)
    numbers = next((a for _, some in found.values() for a in some if a is not True), None)
    accepts = [dtype for dtype in DTYPES if firsts[dtype] is True]
    rule = {"words": words, "accepts": accepts if words and accepts else None, "beside_number": numbers if numbers != words else None}
    if words and "[" in words:   # the words of a check of shapes, which operators make themselves
        return None
    rule = {key: value for key, value in rule.items() if value}
    return words if list(rule) == ["words"] else rule or None
