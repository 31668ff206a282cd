"""dlpack.py: Tocha from Python, by ctypes: arrays of NumPy (or PyTorch) go in and out by DLPack, without a copy.

    LD_LIBRARY_PATH=PREFIX/lib python3 dlpack.py
"""
import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, c_char_p, c_int, c_int32, c_int64, c_void_p, py_object

import numpy as np

tocha = ctypes.CDLL("libtocha.so.1")


class Device(Structure):
    _fields_ = [("type", c_int32), ("index", c_int32)]


class ErrorInfo(Structure):
    _fields_ = [("code", c_int), ("message", c_char_p), ("hint", c_char_p), ("op", c_char_p), ("path", c_char_p)]


def declare(name, result, *arguments):
    function = getattr(tocha, name)
    function.restype, function.argtypes = result, arguments
    return function


open_context = declare("tocha_open", c_void_p, c_void_p)
close_context = declare("tocha_close", None, c_void_p)
retain = declare("tocha_retain", c_void_p, c_void_p)
release = declare("tocha_release", None, c_void_p)
error = declare("tocha_error", POINTER(ErrorInfo), c_void_p)
clear_error = declare("tocha_clear_error", None, c_void_p)
matmul = declare("tocha_matmul", c_void_p, c_void_p, c_void_p, c_void_p)
to_dlpack = declare("tocha_to_dlpack", c_void_p, c_void_p, c_void_p, ctypes.c_bool)
to_dlpack_unversioned = declare("tocha_to_dlpack_unversioned", c_void_p, c_void_p, c_void_p)
dlpack_device_of = declare("tocha_dlpack_device_of", ctypes.c_bool, c_void_p, c_void_p, POINTER(Device))

api = ctypes.pythonapi
capsule_new = api.PyCapsule_New
capsule_new.restype, capsule_new.argtypes = py_object, [c_void_p, c_char_p, c_void_p]
capsule_pointer = api.PyCapsule_GetPointer
capsule_pointer.restype, capsule_pointer.argtypes = c_void_p, [py_object, c_char_p]
capsule_rename = api.PyCapsule_SetName
capsule_rename.argtypes = [py_object, c_char_p]
capsule_is = api.PyCapsule_IsValid
capsule_is.argtypes = [c_void_p, c_char_p]
pointer_of = ctypes.PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", api))


class Form:
    """One of DLPack's two structs, each in a capsule of its name."""

    def __init__(self, name, suffix):
        self.name, self.used = name, b"used_" + name
        self.take = declare("tocha_from_dlpack" + suffix, c_void_p, c_void_p, c_void_p)
        free = declare("tocha_dlpack_free" + suffix, None, c_void_p)

        @CFUNCTYPE(None, c_void_p)
        def drop(capsule):
            """Frees a struct that nobody took out of its capsule."""
            if capsule_is(capsule, name):
                free(pointer_of(capsule, name))

        self.drop = drop

    def wrap(self, struct):
        return capsule_new(struct, self.name, ctypes.cast(self.drop, c_void_p))


VERSIONED = Form(b"dltensor_versioned", "")  # NumPy 2.1 and later
OLD = Form(b"dltensor", "_unversioned")


class Tensor:
    """Owns a tensor of Tocha's. Any library that knows DLPack reads it."""

    def __init__(self, context, pointer):
        if not pointer:
            problem = error(context)[0]
            message = problem.message.decode()
            clear_error(context)
            raise RuntimeError(message)
        self.context, self.pointer = context, retain(pointer)

    def __del__(self):
        if hasattr(self, "pointer"):
            release(self.pointer)

    def __dlpack_device__(self):
        device = Device()
        dlpack_device_of(self.context, self.pointer, device)
        return device.type, device.index

    def __dlpack__(self, max_version=None, **request):
        if max_version and max_version[0] >= 1:
            return VERSIONED.wrap(to_dlpack(self.context, self.pointer, False))
        return OLD.wrap(to_dlpack_unversioned(self.context, self.pointer))

    def __matmul__(self, other):
        return Tensor(self.context, matmul(self.context, self.pointer, other.pointer))


def borrow(context, array):
    """Returns a Tensor over the memory of an array, of NumPy or of any library with DLPack."""
    try:
        capsule = array.__dlpack__(max_version=(1, 0))
    except TypeError:  # it knows the old form only
        capsule = array.__dlpack__()
    form = VERSIONED if capsule_is(id(capsule), VERSIONED.name) else OLD
    tensor = Tensor(context, form.take(context, capsule_pointer(capsule, form.name)))
    capsule_rename(capsule, form.used)
    return tensor


def main():
    context = open_context(None)
    array = np.arange(6.0).reshape(2, 3)
    x = borrow(context, array)
    array[0, 0] = 10  # Tocha sees it
    product = np.from_dlpack(x @ borrow(context, array.T))
    print("product of Tocha's:", product.tolist())
    assert (product == array @ array.T).all()
    assert np.shares_memory(np.from_dlpack(x), array)
    try:
        x @ x
    except RuntimeError as problem:
        print("as it should:", problem)
    del x
    close_context(context)
    print("after the context is closed:", product.sum())


if __name__ == "__main__":
    main()
