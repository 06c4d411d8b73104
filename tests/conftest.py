"""How hard the property tests look: `make test` a little, `make fuzz` for long."""

from __future__ import annotations

import gc
import os
from collections import defaultdict
from collections.abc import Iterator
from zlib import crc32

import pytest
from hypothesis import HealthCheck, settings

from cuvier.machine import store
from species.core.memo import forget_all
from species.loops.defects import STRICT

settings.register_profile("test", max_examples=30, deadline=None)
settings.register_profile(
    "fuzz", max_examples=5000, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("test")

POCL_FLAGS = "POCL_EXTRA_BUILD_FLAGS"

os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # tests share the cores: who waits is to leave them


gc.set_threshold(200_000, 20, 50)  # as in cuvier.cli: syntax trees are large


LONG = "CUVIER_ALL"  # this variable has the long tests, and all cases, run, too, as `make fuzz` does


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", f"long: takes long; run where {LONG} is set")
    config.addinivalue_line("markers", f"sampled(n): of many cases, one of n; all where {LONG} is set")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    skip = pytest.mark.skip(reason=f"takes long: {LONG}=1 runs it")
    for item in _left_out(items) if not os.environ.get(LONG) else ():
        item.add_marker(skip)


def _left_out(items: list[pytest.Item]) -> Iterator[pytest.Item]:
    """Long tests, and the cases of sampled ones that are not run: always the same ones, never all."""
    cases = defaultdict[str, list[pytest.Item]](list)
    for item in items:
        if "long" in item.keywords:
            yield item
        elif item.get_closest_marker("sampled"):
            cases[item.nodeid.partition("[")[0]].append(item)
    for each in cases.values():
        sampled = each[0].get_closest_marker("sampled")
        chosen = sorted(each, key=lambda item: crc32(item.nodeid.encode()))
        yield from chosen[-(-len(each) // sampled.args[0]) :] if sampled else ()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="write golden files anew")


@pytest.fixture(scope="session", autouse=True)
def no_settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What the user has measured or tuned does not count."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(store.VARIABLE, store.BUILT_IN)  # what is written is the same everywhere
        patch.setenv(STRICT, "1")  # a defect is to be seen
        patch.setenv("CUVIER_CHECK", "0")  # tests of `compile` build what they need built
        patch.setenv(POCL_FLAGS, "-cl-opt-disable")  # kernels run for less time than compiling them takes
        for variable in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
            patch.setenv(variable, str(tmp_path_factory.mktemp(variable.lower())))
        yield


@pytest.fixture(scope="module", autouse=True)
def forgetful() -> Iterator[None]:
    """What one module's programs have in common is of no use to the next; a process that is small is copied
    faster (`species.core.subprocess_trial`).
    """
    yield
    forget_all()
    gc.collect()


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Are golden files to be written rather than compared?"""
    return bool(request.config.getoption("--update-golden"))
