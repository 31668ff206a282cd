"""Files of real NumPy, and what they hold.

    python make.py            writes the files beside this one, and expected.lua: what NumPy says is in them
    python make.py FOLDER     reads the files that Tocha wrote there (spec/lua/files_spec.lua, TOCHA_NPY_OUT=FOLDER) and compares

Any python with NumPy. The files are small; those named bad_* are refused."""
import io
import os
import struct
import sys
import warnings
import zipfile

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
VALUES = [0, 1, 2, 3, 100, 5, 6, 7, 8, 9, 10, 127]


def arrays():
    for name in ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"):
        a = np.array(VALUES).astype(name).reshape(3, 4)
        if name.startswith("float"):
            a = (a / 3).astype(name)
            a[0, :3] = [np.inf, -np.inf, -0.0]
        if name.startswith("int"):
            a[1, 1] = np.iinfo(name).min
            a[1, 2] = np.iinfo(name).max
        yield name, a
        yield name + "_fortran", np.asfortranarray(a)
        yield name + "_big", a.astype(a.dtype.newbyteorder(">"))
        yield name + "_0d", a[2, 3]
    yield "empty", np.empty((0,), np.float32)
    yield "empty_3d", np.empty((2, 0, 3), np.int64)
    yield "one", np.array([1.5])
    yield "five_dims", np.arange(48.0).reshape(2, 3, 1, 4, 2)
    yield "fortran_3d", np.asfortranarray(np.arange(24, dtype=np.int16).reshape(2, 3, 4))
    yield "big_fortran", np.asfortranarray(np.arange(6, dtype=">f8").reshape(2, 3))
    yield "many_dims", np.arange(4.0).reshape((1,) * 30 + (4,))


def npy(array, version=None):
    out = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        np.lib.format.write_array(out, np.asanyarray(array), version=version)
    return out.getvalue()


def with_head(head, data, version=1):
    text = head.encode() + b"\n"
    width = "<H" if version == 1 else "<I"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack(width, len(text)) + text + data


def bad():
    good = npy(np.arange(6.0).reshape(2, 3))
    yield "bad_empty", b""
    yield "bad_magic", b"hello, world"
    yield "bad_short_magic", good[:7]
    yield "bad_short_length", good[:9]
    yield "bad_short_head", good[:40]
    yield "bad_short_data", good[:-9]
    yield "bad_no_data", good[:128]
    yield "bad_version", good[:6] + b"\x04\x00" + good[8:]
    yield "bad_long_head", b"\x93NUMPY\x02\x00" + struct.pack("<I", 10001) + b" " * 10001
    keys = "{'descr': '<f8', 'fortran_order': False, 'shape': %s, }"
    yield "bad_huge", with_head(keys % "(1000000000000, 8)", b"12345678")
    yield "bad_overflow", with_head(keys % "(4611686018427387904, 4611686018427387904)", b"12345678")
    yield "bad_shape", with_head(keys % "[2, 3]", b"")
    yield "bad_float_shape", with_head(keys % "(2.0, 3)", b"")
    yield "bad_order", with_head("{'descr': '<f8', 'fortran_order': 0, 'shape': (1,), }", bytes(8))
    yield "bad_dtype", with_head("{'descr': '<q9', 'fortran_order': False, 'shape': (1,), }", bytes(8))
    yield "bad_keys", with_head("{'descr': '<f8', 'shape': (1,), }", bytes(8))
    yield "bad_extra_key", with_head("{'a': 1, 'descr': '<f8', 'fortran_order': False, 'shape': (1,), }", bytes(8))
    yield "bad_no_dictionary", with_head("'text'", b"")
    yield "bad_unclosed", with_head("{'descr': '<f8', 'fortran_order': False, 'shape': (1,", bytes(8))
    out = io.BytesIO()
    np.save(out, np.array([{}, None]), allow_pickle=True)
    yield "bad_object", out.getvalue()
    yield "bad_structured", npy(np.zeros(2, dtype=[("a", "<f8"), ("b", "<i4")]))
    for name in ("complex64", "datetime64[s]"):
        yield "bad_" + name.split("[")[0], npy(np.zeros(2, dtype=name))


def archives():
    x, y = np.arange(6.0).reshape(2, 3), np.arange(1000, dtype=np.int32) % 7
    for name, save in (("stored", np.savez), ("deflated", np.savez_compressed)):
        out = io.BytesIO()
        save(out, x, y, named=np.asfortranarray(x), empty=np.empty(0, np.float32), scalar=np.float16(1.5))
        yield name, out.getvalue(), {"arr_0": x, "arr_1": y, "named": x, "empty": np.empty(0, np.float32), "scalar": np.float16(1.5)}
    rng = np.random.RandomState(0)
    noise = rng.bytes(3000)
    text = b"".join(b"line %d of some text, over and over\n" % (i % 50) for i in range(400))
    for level in (1, 9):
        out = io.BytesIO()
        members = {"mixed": np.frombuffer(text + noise + bytes(5000), np.uint8), "ramp": np.arange(5000, dtype=np.float32)}
        with zipfile.ZipFile(out, "w") as z:
            for name, a in members.items():     # ZipInfo has the same date every time
                z.writestr(zipfile.ZipInfo(name + ".npy"), npy(a), zipfile.ZIP_DEFLATED, level)
        yield "level_%d" % level, out.getvalue(), members
    out = io.BytesIO()
    np.savez(out)
    yield "empty", out.getvalue(), {}


def lua_number(v):
    if isinstance(v, (bool, np.bool_)):
        return "true" if v else "false"
    if isinstance(v, (int, np.integer)):
        return "math.mininteger" if int(v) == -2**63 else str(int(v))
    v = float(v)
    return "0/0" if v != v else ("-" if v < 0 else "") + "math.huge" if v in (np.inf, -np.inf) else v.hex()


def described(a):
    a = np.asarray(a)
    total = [lua_number(v) for v in a.astype(a.dtype.newbyteorder("=")).ravel(order="C")[:60]]
    return "{dtype = \"%s\", shape = {%s}, values = {%s}}" % (
        a.dtype.newbyteorder("=").name, ", ".join(map(str, a.shape)), ", ".join(total))


def answer(data):
    """Returns the error of np.load for bytes that it refuses."""
    path = os.path.join("/tmp", "tocha_bad_%d.npy" % os.getpid())
    with open(path, "wb") as f:
        f.write(data)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            a = np.load(path)
            if a.dtype.name in ("uint16", "uint64", "complex64"):
                return None, None    # a dtype that Tocha lacks
            return None, a.dtype.name
    except Exception as e:
        return type(e).__name__, str(e).split("\n")[0]
    finally:
        os.remove(path)


def write():
    lines = ["-- What NumPy %s says is in the files beside this one: written by make.py.\nreturn {\n" % np.__version__]

    def put(name, data, text):
        with open(os.path.join(HERE, name), "wb") as f:
            f.write(data)
        lines.append("  [\"%s\"] = %s,\n" % (name, text))
    for name, a in arrays():
        put(name + ".npy", npy(a), described(a))
    for version in ((2, 0), (3, 0)):
        a = np.arange(6, dtype=np.float32).reshape(2, 3)
        put("version_%d.npy" % version[0], npy(a, version), described(a))
    python2 = with_head("{'descr': '<i4', 'fortran_order': False, 'shape': (3L,), }", np.arange(3, dtype="<i4").tobytes())
    put("python2.npy", python2, described(np.arange(3, dtype=np.int32)))
    put("other_layout.npy", with_head("{ \"shape\":(2,3),\"fortran_order\" : True,\n 'descr':'=i2'} ", np.arange(6, dtype="<i2").tobytes()),
        described(np.arange(6, dtype=np.int16).reshape(3, 2).T))
    for name, data in bad():
        kind, message = answer(data)
        put(name + ".npy", data, "{kind = \"%s\", message = %s}" % (kind, "[==[" + message + "]==]") if kind else "{kind = \"TypeError\"}")
    for name, data, members in archives():
        parts = ", ".join("[\"%s\"] = %s" % (k, described(v)) for k, v in members.items())
        put(name + ".npz", data, "{members = {%s}}" % parts)
    with open(os.path.join(HERE, "expected.lua"), "w") as f:
        f.write("".join(lines) + "}\n")


def compare(folder):
    """Arrays that Tocha wrote under the names of these, and as members of all.npz and compressed.npz."""
    wrong = 0
    archived = [np.load(os.path.join(folder, name)) for name in ("all.npz", "compressed.npz")]
    for name, a in arrays():
        native = np.asarray(a).astype(np.asarray(a).dtype.newbyteorder("="))
        for b in [np.load(os.path.join(folder, name + ".npy"))] + [z[name] for z in archived]:
            same = b.dtype == native.dtype and b.shape == native.shape and b.tobytes() == native.tobytes()
            wrong += not same
            if not same:
                print("differs:", name)
    for z in archived:
        assert z.zip.testzip() is None
    print("%d differ" % wrong)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    compare(sys.argv[1]) if len(sys.argv) > 1 else write()
