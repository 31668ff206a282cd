"""Runs a program as one rank: python rank.py PROGRAM, with RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT in the environment."""
import os
import sys
import warnings

warnings.filterwarnings("ignore")
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import torch
import torch.distributed.algorithms.join
import torch.distributed.nn
import torch.distributed.optim
from torch.distributed.algorithms.ddp_comm_hooks import ddp_zero_hook, default_hooks, post_localSGD_hook, powerSGD_hook
from torch.distributed.algorithms.model_averaging import averagers, hierarchical_model_averager, utils

from bridge.program import run


class Block:
    """A block of _coalescing_manager, which is its own value, as in Lua."""

    def __init__(self, *arguments, **options):
        self.manager = coalescing_manager(*arguments, **options)

    def __enter__(self):
        self.value = self.manager.__enter__()

    def __exit__(self, *problem):
        self.manager.__exit__(*problem)

    def wait(self):
        self.value.wait()

    @property
    def works(self):
        return self.value.works


coalescing_manager = torch.distributed._coalescing_manager
torch.distributed._coalescing_manager = Block


if __name__ == "__main__":
    sys.exit(run(sys.argv[1]))
