"""Finds Python packages that Debian installed, for a python3 that is not Debian's own."""
import importlib
import sys

FOLDER = "/usr/lib/python3/dist-packages"


def load(name):
    """Returns the module of that name; ImportError says that the package is not installed."""
    try:
        return importlib.import_module(name)
    except ImportError:
        if FOLDER in sys.path:
            raise
        sys.path.append(FOLDER)
        return importlib.import_module(name)
