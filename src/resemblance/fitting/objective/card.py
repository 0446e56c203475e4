"""Compute the loss and gradient of rows on a GPU."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from itertools import chain
from threading import RLock
from typing import Any

import numpy as np

from resemblance.arrays import Floats
from resemblance.choice import ChoiceModel
from resemblance.errors import ResemblanceWarning, SettingError, UnavailableError
from resemblance.fitting.objective.objective import Batch, batches
from resemblance.forms import READS, Form
from resemblance.judgments import AnyJudgments, DistributedJudgments, Elsewhere, StoredJudgments
from resemblance.optional import need_packages

CPU = "cpu"
DEVICE = re.compile(r"cuda(?::(\d+))?")
FEWEST_ROWS = 1_000_000  # minimum number of rows for a GPU
BLOCK_ROWS = 1 << 22  # number of rows sent at a time
PART_ROWS = 1 << 26  # maximum number of rows per source
SPARE = 256 << 20  # bytes of GPU memory left free
SHORTEST = 1e-100  # positive stand-in for the largest coordinate, if all are 0
BITS = 62  # bits of a sum of slopes, without the sign


class Card:
    """A GPU ("cuda", or "cuda:1" for the second), used by one thread at a time.

    A number that no GPU has raises a SettingError. If the extra ``gpu``, the driver or the GPU is
    missing, an UnavailableError is raised.
    """

    def __init__(self, device: str) -> None:
        named = DEVICE.fullmatch(device)
        if named is None:
            raise SettingError(
                f'device is {device!r}: give "cpu", "cuda", or "cuda:1" for the second card',
                setting="device",
            )
        self.name, self.lock = device, RLock()
        self.cuda = toolkit(device)
        cards, number = self.cuda.gpus, int(named[1] or 0)
        if number >= len(cards):
            raise SettingError(
                f"device is {device!r}, and this machine has {len(cards)} cards: give cuda:0 to "
                f"cuda:{len(cards) - 1}",
                setting="device",
            )
        self.context = cards[number]

    def __enter__(self) -> Card:
        self.lock.acquire()
        self.context.__enter__()
        return self

    def __exit__(self, *failure: Any) -> None:
        self.context.__exit__(*failure)
        self.lock.release()

    @property
    def free(self) -> float:
        """The free bytes of GPU memory, minus a reserve."""
        return float(self.cuda.current_context().get_memory_info().free) - SPARE


def toolkit(device: str) -> Any:
    config: Any = import_module("numba.core.config")
    if not config.ENABLE_CUDASIM:
        need_packages(f"device={device!r} needs", "numba_cuda")
    cuda: Any = import_module("numba.cuda")
    try:
        n_cards = len(cuda.gpus)
    except cuda.CudaSupportError as error:
        raise UnavailableError(
            f"device={device!r} needs the driver of an NVIDIA card, which does not answer "
            f"({' '.join(str(error).split())}): install it, or leave device out"
        ) from None
    if not n_cards:
        raise UnavailableError(f"device={device!r}: this machine has no NVIDIA card")
    return cuda


@dataclass(frozen=True)
class Loaded:
    ends: Any
    weight: Any
    pairs: tuple[tuple[int, int], ...]
    options: tuple[tuple[int, ...], ...]


class CardRows:
    """The rows of a fit. As many as possible stay on the GPU; the others are sent at each pass.

    Each of ``sources`` is a function that yields a part of the rows, in blocks.
    """

    def __init__(self, card: Card, sources: list[Callable[[], Iterator[Batch]]]) -> None:
        self.card, self.sources = card, sources
        self.kept: list[Loaded] = []
        self.n_kept = 0  # number of sources whose rows stay on the GPU
        self.is_full = False
        self.degree = 0  # number of rows that mention the most frequent item

    @classmethod
    def in_memory(cls, card: Card, data: list[Batch]) -> CardRows:
        cut = (batch.blocks(BLOCK_ROWS) for batch in data)
        return cls(card, [partial(iter, [block]) for block in chain.from_iterable(cut)])

    @classmethod
    def stored(cls, card: Card, rows: StoredJudgments) -> CardRows:
        def blocks(part: StoredJudgments) -> Iterator[Batch]:
            return chain.from_iterable(map(batches, part.blocks(BLOCK_ROWS)))

        n = max(1, -(-len(rows) // PART_ROWS))
        return cls(card, [partial(blocks, part) for part in rows.parts(n)])

    def part(self, choice: ChoiceModel) -> CardPart:
        return CardPart(self, choice)

    def load(self, n_items: int) -> None:
        from resemblance.fitting.objective import _kernels

        cuda = self.card.cuda
        counts = cuda.to_device(np.zeros(n_items, dtype=np.int64))
        for source in self.sources:
            loaded = []
            for batch in source():
                self.is_full = self.is_full or self.needed(batch) > self.card.free
                rows = self.send(batch)
                _kernels.count[_kernels.grid_of(len(batch), 1)](rows.ends, counts)
                if not self.is_full:
                    loaded.append(rows)
            if not self.is_full:
                self.kept += loaded
                self.n_kept += 1
        self.degree = int(counts.copy_to_host().max(initial=1))

    def release(self) -> None:
        self.kept, self.n_kept, self.is_full = [], 0, True

    def each(self) -> Iterator[Loaded]:
        yield from self.kept
        for source in self.sources[self.n_kept :]:
            yield from map(self.send, source())

    @staticmethod
    def needed(batch: Batch) -> int:
        return 4 * 2 * len(batch.pairs) * len(batch) + batch.weight.nbytes

    def send(self, batch: Batch) -> Loaded:
        columns = {id(column): column for pair in batch.pairs for column in pair}
        place = {name: k for k, name in enumerate(columns)}
        weight = batch.weight if batch.weight.size else np.ones((1, 1))
        to_card = self.card.cuda.to_device
        return Loaded(
            to_card(np.stack([*columns.values()])),
            to_card(np.ascontiguousarray(weight.reshape(len(weight), -1))),
            tuple((place[id(a)], place[id(b)]) for a, b in batch.pairs),
            batch.layout.options,
        )


class CardPart:
    r"""Loss and gradient of the rows on a GPU, as a function of the state.

    Slopes are summed as integer multiples of :math:`2^{-k}`. The number k is chosen so that no sum
    overflows if the slope of a row is at most four times the largest coordinate. If a pass has a
    longer slope, it is repeated with a smaller k. So the result depends only on the state.
    """

    def __init__(self, rows: CardRows, choice: ChoiceModel) -> None:
        self.rows, self.reads, self.model = rows, READS[choice.reads], choice.code

    def __call__(self, state: Floats) -> tuple[float, Floats]:
        with self.rows.card as card:
            memory = card.cuda.cudadrv.driver.CudaAPIError
            try:
                return self._summed(state)
            except memory:
                self.rows.release()
            try:
                return self._summed(state)
            except memory as error:
                raise UnavailableError(
                    f"the card has no room for the positions ({2 * state.nbytes / 2**20:.0f} MB) "
                    f"and {BLOCK_ROWS:,} rows ({error}): free memory there, or leave device out"
                ) from None

    def _summed(self, state: Floats) -> tuple[float, Floats]:
        if not self.rows.degree:
            self.rows.load(len(state))
        reach = 4.0 * float(np.abs(state).max(initial=SHORTEST))
        loss, longest, gradient = self._pass(state, reach)
        if longest > reach:
            loss, longest, gradient = self._pass(state, longest)
        return loss, gradient

    def _pass(self, state: Floats, reach: float) -> tuple[float, float, Floats]:
        from resemblance.fitting.objective import _kernels

        if not math.isfinite(reach):
            return math.nan, 0.0, np.full_like(state, math.nan)
        cuda, n = self.rows.card.cuda, state.shape[1]
        scale = 2.0 ** (BITS - math.ceil(math.log2(self.rows.degree) + math.log2(reach)))
        lanes = _kernels.lanes_of(n)
        X = cuda.to_device(state)
        slopes = cuda.device_array(state.size, np.int64)
        tally = cuda.device_array(2 * _kernels.MOST_BLOCKS * _kernels.BLOCK, np.float64)
        for values in (slopes, tally):
            _kernels.clear[_kernels.grid_of(values.size, 1)](values)
        for rows in self.rows.each():
            run = _kernels.rows_kernel(n, rows.pairs, rows.options, self.reads, lanes)
            grid = _kernels.grid_of(rows.ends.shape[1], lanes)
            run[grid](X, rows.ends, rows.weight, self.model, scale, reach, slopes, tally)
        losses, longest = tally.copy_to_host().reshape(2, -1)
        gradient = slopes.copy_to_host().reshape(state.shape) / scale
        return float(losses.sum()), float(longest.max()), gradient


def rows_on_card(
    device: str,
    judgments: AnyJudgments | Elsewhere,
    data: list[Batch],
    form: Form,
    batch_size: int | None,
) -> CardRows | None:
    """Return the rows of ``data`` for the GPU; None if the fit runs on the CPU.

    Fits to fewer than a million judgments run on the CPU. A SettingError is raised for an unknown
    device, and for rows or forms that have no kernels.
    """
    if device == CPU:
        return None
    card = Card(device)
    no_kernels = {
        f"the form {form.name}": not form.places,
        "ratings and arrangements": any(b.layout.rated or b.layout.arranged for b in data),
        "minibatches (batch_size)": batch_size is not None,
        "rows on a cluster": isinstance(judgments, DistributedJudgments),
    }
    for what, there in no_kernels.items():
        if there:
            raise SettingError(
                f"a card fits positions to comparisons and confusions, all rows at a time, and "
                f"not {what}: leave device out",
                setting="device",
            )
    if len(judgments) < FEWEST_ROWS:
        message = (
            f"device is {device!r}, and the fit runs on the processor, as all fits to fewer than "
            f"{FEWEST_ROWS:,} judgments do"
        )
        warnings.warn(ResemblanceWarning(message, setting="device"), stacklevel=3)
        return None
    return CardRows.in_memory(card, data)
