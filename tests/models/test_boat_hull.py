"""The boat hull model: figures of the seed, vectors worked by hand, and what must hold of any loop."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuvier.machine.known_machines import names
from cuvier.machine.store import load
from models.machine import DEFAULT
from models.prediction.boat_hull import Work, all_cores, obstacle, on_device, one_thread, ridge, threads_of

MILLION = 2**20
SAXPY = Work(2.0 * MILLION, 12.0 * MILLION, 1.0, float(MILLION), 12.0 * MILLION, 3.0, False)
# Seed 003, table 2.1: operations per byte, and whether the memory limits a Tesla M2090.
M2090 = 1331.2e9, 177.6e9  # NVIDIA's figures: 512 cores at 1.3 GHz; bytes per second without ECC
BY_MEMORY = (1.35, 0.50, 1.60, 0.51, 2.26, 0.67, 0.25, 0.65, 0.70, 3.41, 0.94, 2.08, 4.15, 1.99)
BY_COMPUTE = (27.33, 8.79, 14.33)


def test_the_seeds_limits_on_a_tesla_m2090() -> None:
    assert max(BY_MEMORY) < ridge(*M2090) < min(BY_COMPUTE)


def test_the_seeds_rates_of_its_devices() -> None:
    nvidia, amd = load("gtx-470").device("cuda"), load("hd-7950").device("opencl")  # section 4.5
    assert (round(nvidia.single / 1e12, 1), int(nvidia.bandwidth / 1e9)) == (1.1, 133)
    assert (int(amd.single / 1e11) / 10, amd.bandwidth / 1e9) == (2.8, 240)


def test_a_loop_worked_by_hand() -> None:
    """y[i] += a * x[i] for a million floats, on an i7-3770 with a GTX 470."""
    machine = load("gtx-470")
    device = machine.device("cuda")
    one, cores = one_thread(SAXPY, machine), all_cores(SAXPY, machine)
    there, copied = (on_device(SAXPY, device, copying=each) for each in (False, True))
    assert (one.bound, one.seconds) == ("compute", pytest.approx(2 * MILLION / (27.2e9 / 16)))  # 1.234 ms
    assert (cores.bound, cores.seconds) == ("memory", pytest.approx(12 * MILLION / 25.6e9 + 1e-6))
    assert (there.bound, there.seconds) == ("memory", pytest.approx(12 * MILLION / 133.9e9 + 5e-6))
    assert (copied.bound, copied.terms["copies"]) == ("copies", pytest.approx(12 * MILLION / 8e9 + 3e-5))
    assert copied.seconds == there.seconds + copied.terms["copies"]


def test_a_short_loop_is_bound_by_what_starts_it() -> None:
    short = replace(SAXPY, operations=200.0, bytes=1200.0, parallel=100.0)
    assert all_cores(short, DEFAULT).bound == on_device(short, DEFAULT.device("cuda"), copying=False).bound
    assert all_cores(short, DEFAULT).bound == "launch"


def test_few_iterations_leave_most_of_a_device_idle() -> None:
    device = load("gtx-470").device("cuda")
    assert threads_of(device) == 14 * 8 * 32
    few = replace(SAXPY, parallel=threads_of(device) / 8)
    assert on_device(few, device, copying=False).terms["memory"] == pytest.approx(
        8 * on_device(SAXPY, device, copying=False).terms["memory"]
    )
    assert all_cores(replace(SAXPY, parallel=2.0), DEFAULT).terms["compute"] == pytest.approx(
        one_thread(SAXPY, DEFAULT).terms["compute"] / 2
    )


def test_what_a_device_cannot_run() -> None:
    device = load("gtx-470").device("cuda")
    assert obstacle(SAXPY, device) == ""
    assert "in order" in obstacle(replace(SAXPY, parallel=1.0), device)
    assert "does not fit" in obstacle(replace(SAXPY, copied=2e9), device)
    assert obstacle(replace(SAXPY, copied=2e9, launches=2.0), device) == ""  # one after the other
    assert "no double precision" in obstacle(replace(SAXPY, double=True), replace(device, double=0.0))


AMOUNTS = st.floats(0.0, 1e15)


@given(AMOUNTS, AMOUNTS, st.floats(1.0, 1e6), st.floats(1.0, 1e12), AMOUNTS, st.sampled_from(names()))
def test_more_of_a_machine_is_never_slower(
    operations: float, moved: float, launches: float, parallel: float, copied: float, name: str
) -> None:
    machine = load(name)
    work = Work(operations, moved, launches, parallel, copied, launches, True)
    one, cores = one_thread(work, machine), all_cores(work, machine)
    assert all(cores.terms[term] <= one.terms[term] * (1 + 1e-9) for term in ("compute", "memory"))
    assert one.seconds <= one_thread(replace(work, bytes=2 * moved), machine).seconds
    for device in machine.devices:
        there, there_and_back = (on_device(work, device, copying=each) for each in (False, True))
        assert 0 < there.seconds <= there_and_back.seconds
        assert on_device(replace(work, parallel=2 * parallel), device, copying=False).seconds <= there.seconds
