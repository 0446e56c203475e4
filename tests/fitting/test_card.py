"""Fits on a GPU, without one: in the simulator, compiled for a card, and refused by name."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import resemblance as rs
from resemblance.errors import NoPackageError, SettingError
from resemblance.fitting.objective import _kernels
from resemblance.judgments.base import ONE_PAIR, TWO_PAIRS, odd_one_out, one_of
from resemblance.optional import is_there

PROGRAM = Path(__file__).with_name("simulated_card.py")


@pytest.fixture(scope="module")
def simulated():
    return simulate()


def simulate(*folder):
    command = [sys.executable, str(PROGRAM), *folder]
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=500, env=environment)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_kernels_give_the_losses_and_gradients_of_the_processor(simulated):
    of_models = {**simulated["kernels"], **simulated["long_steps"]}
    assert len(of_models) > 25
    assert not {name: off for name, off in of_models.items() if max(off) > 1e-12}


def test_rows_that_do_not_fit_give_the_same_bits(simulated):
    assert simulated["equal_bits"] == {
        "again": True,
        "sent": True,
        "after a full memory": True,
        "full for good": True,
    }


def test_positions_that_are_not_finite_have_no_loss_and_those_in_one_place_have(simulated):
    assert simulated["not_finite"] == {"loss": True, "gradient": True, "in one place": True}


@pytest.mark.long
def test_fits_end_where_those_of_the_processor_do(tmp_path):
    for on_processor, on_card in simulate(str(tmp_path)).values():
        assert on_card == pytest.approx(on_processor, rel=1e-9)


def test_what_has_no_kernels_is_refused(simulated):
    assert simulated["refusals"] == dict.fromkeys(("cuda:7", "gram", "ratings"), "device")


def test_without_the_extra_the_error_names_it():
    if is_there("numba_cuda"):
        pytest.skip("the extra is there")
    with pytest.raises(NoPackageError, match="gpu"):
        rs.STE(device="cuda").fit([[0, 1, 2], [1, 2, 0], [2, 1, 0]])


@pytest.mark.parametrize("device", ["gpu", "cuda:", "cuda:one", "CUDA"])
def test_unknown_devices_are_refused(device):
    with pytest.raises(SettingError) as refused:
        rs.STE(device=device).fit([[0, 1, 2], [1, 2, 0], [2, 1, 0]])
    assert refused.value.setting == "device"


@pytest.mark.parametrize("n_components", [2, 49])
@pytest.mark.parametrize("layout", [TWO_PAIRS, ONE_PAIR, odd_one_out(3), one_of(4)])
def test_kernels_compile_for_a_card(layout, n_components, monkeypatch):
    if not is_there("numba_cuda"):
        pytest.skip("make test-gpu installs the compiler")
    from numba import cuda, types
    from numba.cuda import dispatcher

    capability = SimpleNamespace(compute_capability=(9, 0))
    monkeypatch.setattr(dispatcher, "get_current_device", lambda: capability)
    number, numbers = types.float64, types.float64[:, ::1]
    model = types.Tuple((types.int64, number, number, number))
    sums = types.int64[::1], types.float64[::1]
    signature = (numbers, types.int32[:, ::1], numbers, model, number, number, *sums)
    lanes = _kernels.lanes_of(n_components)
    kernel = _kernels.rows_kernel(n_components, layout.pairs, layout.options, 0, lanes)
    code, _ = cuda.compile_ptx(kernel.py_func, signature, cc=(9, 0))
    assert "atom.global.add.u64" in code
