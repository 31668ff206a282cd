"""every_function.py API LIBRARY: calls every function of a library through the binding that is made from its tocha_api.json
(examples/host/python/binding.py): with NULL everywhere; with a context and NULL; with structs of zeros; and with objects beside
numbers and enumerators that do not exist; and with float8 tensors, which few functions take. Each function runs in a child process; one that dies is named.
"""
import ctypes
import os
import signal
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "examples", "host", "python"))
import binding  # noqa: E402

WAYS = "nothing", "null", "zeros", "nonsense", "float8"
FLOAT8 = 10   # TOCHA_FLOAT8_E4M3FN
tocha = binding.load(sys.argv[1], sys.argv[2])
enums = {enum.get("name") for enum in tocha.api["enums"]}
numbers = {"int": -1, "int64_t": -1, "double": float("nan")}
kept = []


def base(declaration):
    return declaration.replace("const ", "").replace("struct ", "").split(" ")[0]


def objects(way):
    """Returns a good object for some types."""
    context = tocha.tocha_open(None)
    sizes = (ctypes.c_int64 * 2)(2, 2)
    ones = tocha.tocha_ones(context, 2, ctypes.addressof(sizes))
    return {
        "tocha_context": context,
        "tocha_tensor": tocha.tocha_to_dtype(context, ones, FLOAT8, False, False) if way == "float8" else ones,
        "tocha_state_dict": tocha.tocha_state_dict_new(context),
        "tocha_generator": tocha.tocha_default_generator(context),
    }


def argument(declaration, way, good):
    name, pointer = base(declaration), "*" in declaration or declaration.endswith("]")
    if pointer:
        if name == "tocha_context" or (way in ("nonsense", "float8") and "**" not in declaration and "*const *" not in declaration):
            return good.get(name)
        if way != "zeros" or "(*" in declaration or declaration == "const char *" or name not in tocha.fields:
            return None
        kept.append(ctypes.create_string_buffer(ctypes.sizeof(tocha.type(name)) + 64))
        return ctypes.addressof(kept[-1])
    if name in tocha.fields:
        return tocha.type(name)()
    if way == "float8":
        return FLOAT8 if name == "tocha_dtype" else 0
    if way != "nonsense":
        return 0
    return 9999 if name in enums else numbers.get(name, 0)


def call(function, way):
    good = {} if way == "nothing" else objects(way)
    declarations = [parameter["type"] for parameter in function["parameters"] if parameter["type"] != "..."]
    getattr(tocha, function["name"])(*[argument(declaration, way, good) for declaration in declarations])
    context = good.get("tocha_context")
    if context and tocha.tocha_failed(context):
        assert tocha.tocha_error_info.from_address(tocha.tocha_error(context)).message, "an error without a word"


def survives(function):
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        try:
            for way in WAYS:
                call(function, way)
            os._exit(0)
        except BaseException as problem:
            print(function["name"], way, problem, flush=True)
            os._exit(1)
    return os.waitpid(child, 0)[1] == 0


functions = [function for function in tocha.api["functions"] if not function["inline"]]
dead = [function["name"] for function in functions if not survives(function)]
for name in dead:
    print("not ok:", name)
print("%s functions, %d died" % ("more than 2500" if len(functions) > 2500 else len(functions), len(dead)))
