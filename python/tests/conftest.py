"""Tests the installed package, or that of this checkout with its release build or the program in TILETUNE."""

import os
import signal
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python"

found = find_spec("tiletune")
if found is None or Path(found.origin or "").is_relative_to(PACKAGE):
    # Workers and scripts of tests find the package as an installed one would be found.
    sys.path.insert(0, str(PACKAGE))
    os.environ["PYTHONPATH"] = str(PACKAGE)
    os.environ.setdefault("TILETUNE", str(ROOT / "target/release/tiletune"))


# A shell starts a job in the background with Ctrl-C ignored, and its processes inherit that. Tests of Ctrl-C need it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """Each test has a working directory of its own."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def library():
    """Imports a library that a test needs, or skips the test where it may be missing."""

    def load(name):
        if os.environ.get("TILETUNE_REQUIRE_TOOLS"):
            return __import__(name)
        return pytest.importorskip(name)

    return load
