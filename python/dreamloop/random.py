"""Random numbers that depend on seed, step, sub-step and stream alone, with the same bits as in TypeScript (docs/random.md)."""

from __future__ import annotations

import math
import operator
from typing import Any, Optional, Sequence, Tuple, Union

import numpy as np

from .errors import DreamloopError, found

__all__ = ["RandomStream", "STREAM_WORDS"]

#: How many 32-bit words one stream holds.
STREAM_WORDS = 2**34

_WORD = 0xFFFFFFFF
_MULTIPLIERS = (0xD2511F53, 0xCD9E8D57)
_INCREMENTS = (0x9E3779B9, 0xBB67AE85)
_ROUNDS = 10
_MAX_SAFE_INTEGER = 2**53 - 1

Shape = Union[int, Sequence[int]]


class RandomStream:
    """A stream of random numbers at an address; nothing that other streams or sessions do changes them.

    ``position`` counts 32-bit words and is the only state. Drawing past the end of the stream raises ``limit_exceeded``.
    """

    def __init__(self, *, seed: int, step: int, stream: Union[str, int], sub_step: int = 0) -> None:
        seed = _integer("seed", seed, 2**64 - 1)
        step = _integer("step", step, _MAX_SAFE_INTEGER)
        sub_step = _integer("sub_step", sub_step, 2047)
        self._key = (seed & _WORD, seed >> 32)
        self._counter = (step & _WORD, (sub_step << 21) | (step >> 32), stream_number(stream))
        self._position = 0

    @property
    def position(self) -> int:
        """The position in words at which the next draw starts."""
        return self._position

    def seek(self, position: int) -> None:
        """Moves the next draw to a position from 0 to ``STREAM_WORDS``."""
        self._position = _integer("position", position, STREAM_WORDS)

    def uint32(self, shape: Shape = ()) -> Any:
        """The next words, 0 to 2^32 - 1: one number, or an array of ``shape``."""
        size, dimensions = _size(shape)
        words = self._words(size).astype(np.uint32)
        return int(words[0]) if dimensions == () else words.reshape(dimensions)

    def uniform(self, shape: Shape = (), dtype: Any = np.float32) -> Any:
        """Uniform numbers in [0, 1): one ``float`` of full precision, or an array of ``shape`` rounded to ``dtype``."""
        return self._made(shape, dtype, _uniform)

    def normal(self, shape: Shape = (), dtype: Any = np.float32) -> Any:
        """Standard normal numbers: one ``float`` of full precision, or an array of ``shape`` rounded to ``dtype``."""
        return self._made(shape, dtype, _normal)

    def integer(self, bound: int) -> int:
        """An integer from 0 to ``bound`` - 1, every value equally likely."""
        bound = _integer("bound", bound, _MAX_SAFE_INTEGER)
        if bound < 1:
            raise DreamloopError("invalid_value", f"RandomStream.integer: expected a bound of at least 1, found {bound}")
        is_narrow = bound <= 2**32
        reach = 2**32 if is_narrow else 2**53
        fair = reach - reach % bound
        while True:
            draw = int(self.uint32()) if is_narrow else int(self.uniform() * 2**53)
            if draw < fair:
                return draw % bound

    def seed_for_device(self) -> int:
        """A 63-bit seed for a generator that lives on a device, such as ``torch.Generator(device).manual_seed(...)``."""
        low, high = self._words(2).tolist()
        return int(low) | (int(high) >> 1) << 32

    def torch_generator(self, device: Any = "cpu") -> Any:
        """A ``torch.Generator`` on a device, seeded from this stream; numbers are then drawn where they are used."""
        import torch  # only worlds that use PyTorch get here

        return torch.Generator(device=device).manual_seed(self.seed_for_device())

    def _made(self, shape: Shape, dtype: Any, make: Any) -> Any:
        size, dimensions = _size(shape)
        words = self._words(2 * size)
        values = make(words[0::2], words[1::2])
        return float(values[0]) if dimensions == () else values.astype(dtype).reshape(dimensions)

    def _words(self, count: int) -> "np.ndarray[Any, np.dtype[np.uint64]]":
        first, end = self._position, self._position + count
        if end > STREAM_WORDS:
            raise DreamloopError(
                "limit_exceeded",
                f"the random stream is exhausted: {count} more words were asked for at position {first} of {STREAM_WORDS}; "
                "use another step, sub-step or stream",
            )
        self._position = end
        blocks = np.arange(first // 4, -(-end // 4), dtype=np.uint64)
        words = philox4x32((blocks, *self._counter), self._key)
        return words.reshape(-1)[first % 4 : first % 4 + count]


def philox4x32(counter: Tuple[Any, int, int, int], key: Tuple[int, int]) -> "np.ndarray[Any, np.dtype[np.uint64]]":
    """Philox 4x32 with 10 rounds (Salmon et al., SC 2011) over an array of lowest counter words; gives one row of four words for each."""
    mask, half = np.uint64(_WORD), np.uint64(32)
    c0 = np.asarray(counter[0], dtype=np.uint64)
    c1, c2, c3 = (np.full_like(c0, word) for word in counter[1:])
    k0, k1 = key
    for _ in range(_ROUNDS):
        product0 = c0 * np.uint64(_MULTIPLIERS[0])
        product1 = c2 * np.uint64(_MULTIPLIERS[1])
        c0 = (product1 >> half) ^ c1 ^ np.uint64(k0)
        c2 = (product0 >> half) ^ c3 ^ np.uint64(k1)
        c1, c3 = product1 & mask, product0 & mask
        k0, k1 = (k0 + _INCREMENTS[0]) & _WORD, (k1 + _INCREMENTS[1]) & _WORD
    return np.stack([c0, c1, c2, c3], axis=-1)


def stream_number(stream: Union[str, int]) -> int:
    """The number of a stream: an integer is its own, a name its 32-bit FNV-1a hash with the uppermost bit set."""
    if not isinstance(stream, str):
        return _integer("stream", stream, 2**31 - 1)
    if not 1 <= len(stream) <= 128 or any(not " " <= letter <= "~" for letter in stream):
        raise DreamloopError("invalid_value", f"a random stream's name is 1 to 128 printable ASCII characters, found {found(stream)}")
    number = 0x811C9DC5
    for letter in stream.encode("ascii"):
        number = ((number ^ letter) * 0x01000193) & _WORD
    return number | 0x80000000


def _uniform(first: Any, second: Any) -> Any:
    high = (first >> np.uint64(5)).astype(np.float64)
    low = (second >> np.uint64(6)).astype(np.float64)
    return (high * 67108864.0 + low) * (1 / 9007199254740992.0)


def _normal(first: Any, second: Any) -> Any:
    high = (first >> np.uint64(6)).astype(np.float64)
    low = (second >> np.uint64(6)).astype(np.float64)
    return normal_quantile((high * 67108864.0 + low + 0.5) * (1 / 4503599627370496.0) - 0.5)


def normal_quantile(offset: Any) -> Any:
    """Wichura's AS 241 (PPND16) at probability 0.5 + offset, operation by operation as in TypeScript."""
    offset = np.asarray(offset, dtype=np.float64)
    values = np.empty_like(offset)
    central = np.abs(offset) <= 0.425
    q = offset[central]
    r = 0.180625 - q * q
    values[central] = q * _horner(r, _A) / _horner(r, _B)
    outer = ~central
    if outer.any():
        q = offset[outer]
        r = np.sqrt(-exact_log(np.where(q < 0, 0.5 + q, 0.5 - q)))
        near = r <= 5
        magnitude = np.empty_like(r)
        t = r[near] - 1.6
        magnitude[near] = _horner(t, _C) / _horner(t, _D)
        t = r[~near] - 5
        magnitude[~near] = _horner(t, _E) / _horner(t, _F)
        values[outer] = np.where(q < 0, -magnitude, magnitude)
    return values


def exact_log(values: Any) -> Any:
    """The natural logarithm of numbers above 0 with the same bits on every machine (FDLIBM's polynomial, docs/random.md)."""
    mantissa, exponent = np.frexp(np.asarray(values, dtype=np.float64))
    mantissa, exponent = mantissa * 2, (exponent - 1).astype(np.float64)
    above = mantissa > math.sqrt(2)
    mantissa = np.where(above, mantissa * 0.5, mantissa)
    exponent = np.where(above, exponent + 1, exponent)
    f = mantissa - 1
    s = f / (2 + f)
    z = s * s
    series = z * _horner(z, _L)
    half_square = 0.5 * f * f
    return exponent * 0.693147180559663 - (half_square - (s * (half_square + series) + exponent * 2.8235290563031577e-13) - f)


def _horner(x: Any, coefficients: Sequence[float]) -> Any:
    result = np.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        result = result * x + coefficient
    return result


def _integer(name: str, value: Any, largest: int) -> int:
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        number = -1
    if 0 <= number <= largest:
        return number
    raise DreamloopError("invalid_value", f"RandomStream.{name}: expected an integer from 0 to {largest}, found {found(value)}")


def _size(shape: Shape) -> Tuple[int, Tuple[int, ...]]:
    dimensions: Optional[Tuple[int, ...]]
    try:
        dimensions = (operator.index(shape),) if not isinstance(shape, (tuple, list)) and not hasattr(shape, "__iter__") else tuple(
            operator.index(side) for side in shape  # type: ignore[union-attr]
        )
    except TypeError:
        dimensions = None
    if dimensions is None or any(side < 0 for side in dimensions):
        raise DreamloopError("invalid_value", f"RandomStream: expected a shape such as (4, 28, 48), found {found(shape)}")
    return math.prod(dimensions), dimensions


# Wichura's rational coefficients, highest power first, and FDLIBM's for the logarithm.
_A = (2509.0809287301226727, 33430.575583588128105, 67265.770927008700853, 45921.953931549871457, 13731.693765509461125,
      1971.5909503065514427, 133.14166789178437745, 3.387132872796366608)
_B = (5226.495278852545925, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867, 5394.1960214247511077,
      687.1870074920579083, 42.313330701600911252, 1.0)
_C = (7.7454501427834140764e-4, 0.0227238449892691845833, 0.24178072517745061177, 1.27045825245236838258, 3.64784832476320460504,
      5.7694972214606914055, 4.6303378461565452959, 1.42343711074968357734)
_D = (1.05075007164441684324e-9, 5.475938084995344946e-4, 0.0151986665636164571966, 0.14810397642748007459, 0.68976733498510000455,
      1.6763848301838038494, 2.05319162663775882187, 1.0)
_E = (2.01033439929228813265e-7, 2.71155556874348757815e-5, 0.0012426609473880784386, 0.026532189526576123093,
      0.29656057182850489123, 1.7848265399172913358, 5.4637849111641143699, 6.6579046435011037772)
_F = (2.04426310338993978564e-15, 1.4215117583164458887e-7, 1.8463183175100546818e-5, 7.868691311456132591e-4,
      0.0148753612908506148525, 0.13692988092273580531, 0.59983220655588793769, 1.0)
_L = (1.479819860511658591e-1, 1.531383769920937332e-1, 1.818357216161805012e-1, 2.222219843214978396e-1,
      2.857142874366239149e-1, 3.999999999940941908e-1, 6.66666666666673513e-1)
