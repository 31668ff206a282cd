"""Work in a process of its own that has PyTorch already: importing it again takes longer than most questions."""
import ctypes
import os
import runpy
import sys
import tempfile
import traceback


def printed_by(work, errors=False):
    """what work() prints, standard error too if errors, and whether it came to its end; a text that it returns is why not"""
    with tempfile.TemporaryFile() as out:
        child = os.fork()
        if child == 0:
            os.dup2(out.fileno(), 1)
            if errors:
                os.dup2(out.fileno(), 2)
            problem = work()
            sys.stdout.flush()
            ctypes.CDLL(None).fflush(None)
            if problem:
                os.write(1, ("\nbridge: " + problem).encode())
            os._exit(1 if problem else 0)
        status = os.waitpid(child, 0)[1]
        out.seek(0)
        return out.read(), status == 0


def script(path, *arguments):
    """the work of running a Python file as a program"""
    def work():
        sys.argv = [path, *arguments]
        sys.path.insert(0, os.path.dirname(path))
        try:
            runpy.run_path(path, run_name="__main__")
        except SystemExit as end:
            return str(end.code) if end.code else None
        except BaseException:
            return traceback.format_exc()
        return None
    return work
