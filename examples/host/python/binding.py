"""binding.py: a binding of libtocha for Python, made when it is loaded from tocha_api.json: every function, struct, enumerator
and constant of the headers, by ctypes.

    import binding
    tocha = binding.load("PREFIX/share/tocha/tocha_api.json", "libtocha.so.1")
    context = tocha.tocha_open(None)
"""
import ctypes
import json
import re

PLAIN = {
    "void": None, "bool": ctypes.c_bool, "char": ctypes.c_char, "int": ctypes.c_int, "float": ctypes.c_float, "double": ctypes.c_double,
    "size_t": ctypes.c_size_t, "int8_t": ctypes.c_int8, "uint8_t": ctypes.c_uint8, "int16_t": ctypes.c_int16,
    "int32_t": ctypes.c_int32, "uint32_t": ctypes.c_uint32, "int64_t": ctypes.c_int64, "uint64_t": ctypes.c_uint64,
}


class Binding:
    """Its attributes are the functions (those that the library exports), structs, enumerators and constants."""

    def __init__(self, api, library):
        self.api = api
        self.types = dict(PLAIN)
        self.fields = {struct["name"]: struct["fields"] for struct in api["structs"]}
        for enum in api["enums"]:
            self.types[enum.get("name")] = ctypes.c_int
            for value in enum["values"]:
                setattr(self, value["name"], value["value"])
        for name in self.fields:
            setattr(self, name, self.type(name))
        for function in api["functions"]:
            if not function["inline"]:
                setattr(self, function["name"], self.declare(library, function))

    def declare(self, library, function):
        declared = getattr(library, function["name"])
        declared.restype = self.type(function["result"])
        types = [parameter["type"] for parameter in function["parameters"] if parameter["type"] != "..."]
        declared.argtypes = [ctypes.c_void_p if type.endswith("]") else self.type(type) for type in types]
        return declared

    def type(self, declaration):
        """Returns the ctypes class of a type of C. Pointers have none of their own: all are addresses, texts are bytes."""
        if "(*" in declaration:
            return ctypes.c_void_p
        array = re.fullmatch(r"(.*?) ?\[(\d+)\](.*)", declaration)
        if array:
            return self.type(array[1] + array[3]) * int(array[2])
        if declaration == "const char *":
            return ctypes.c_char_p
        if declaration.endswith("*") or declaration.endswith("*const"):
            return ctypes.c_void_p
        name = re.sub(r"^(const|struct|enum) ", "", declaration)
        if name not in self.types:
            self.types[name] = self.aggregate(name, ctypes.Structure, self.fields[name])
        return self.types[name]

    def aggregate(self, name, base, fields):
        members, unnamed = [], []
        for field in fields:
            member = field.get("name") or "unnamed%d" % len(members)
            if not field.get("name"):
                unnamed.append(member)
            if field["type"] in ("union", "struct"):
                kind = ctypes.Union if field["type"] == "union" else ctypes.Structure
                members.append((member, self.aggregate(name + "_" + member, kind, field["fields"])))
            else:
                members.append((member, self.type(field["type"])))
        return type(name, (base,), {"_anonymous_": unnamed, "_fields_": members})


def load(api, library):
    """Returns the Binding of a library, which its file of the interface describes."""
    with open(api) as file:
        return Binding(json.load(file), ctypes.CDLL(library))
