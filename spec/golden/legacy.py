"""Files in PyTorch's format before 1.6, the same bytes every time."""
import torch

ADDRESS = torch._C.StorageBase._cdata


def save(value, path, **options):
    """torch.save in the legacy format, which names a storage by its address: here by its number in the order of saving"""
    numbers = {}
    torch.UntypedStorage._cdata = property(lambda storage: numbers.setdefault(ADDRESS.__get__(storage), len(numbers)))
    try:
        torch.save(value, path, _use_new_zipfile_serialization=False, **options)
    finally:
        del torch.UntypedStorage._cdata
