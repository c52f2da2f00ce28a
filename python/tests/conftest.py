"""The program under test: that of the variable TILETUNE, else the release build of this checkout."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

os.environ.setdefault("TILETUNE", str(ROOT / "target/release/tiletune"))
# Workers and scripts of tests find the package as an installed one would be found.
os.environ["PYTHONPATH"] = str(ROOT / "python")


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
