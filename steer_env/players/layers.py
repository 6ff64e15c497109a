"""The arithmetic of networks, the same bits for any number of observations, on any machine.

Libraries add up matrix products in an order that depends on the processor and on the number of
rows, and their tanh differs. Here every output is the bias and then the products, four by four
from the first input to the last.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from steer_env.errors import InvalidValue
from steer_env.machine_code.addresses import address_of, matrix_at, records_at
from steer_env.machine_code.marking import compiled_loop
from steer_env.machine_code.routines import routine

ACTIVATIONS = ("tanh", "relu")
HEADS = ("box", "squashed", "categorical", "greedy")
"""The functions between the layers, and those that make actions of the last.

`players.network.NetworkPolicy` explains them. Pages know them by their places here.
"""

LANES = 8
"""Outputs are padded to a multiple of this, for vector instructions."""

_LARGEST = np.float32(7.99881172180175781)
"""The largest number of which the quotient below is at most 1."""

# tanh(x) is x P(x**2) / Q(x**2); the coefficients are Eigen's (MathFunctionsImpl.h).
_P = (
    *map(np.float32, (4.89352455891786e-03, 6.37261928875436e-04, 1.48572235717979e-05)),
    *map(np.float32, (5.12229709037114e-08, -8.60467152213735e-11, 2.00018790482477e-13)),
    np.float32(-2.76076847742355e-16),
)
_Q = (
    *map(np.float32, (4.89352518554385e-03, 2.26843463243900e-03, 1.18534705686654e-04)),
    np.float32(1.19825839466702e-06),
)


class Dense:
    """A layer of a network: biases + weights x for each observation x alone.

    It is made of weights (outputs, inputs) and biases (outputs,). It keeps weights (inputs,
    width) and biases (width,), with the outputs padded with zeros to a multiple of `LANES`.
    """

    def __init__(self, weights: NDArray[np.float32], biases: NDArray[np.float32]) -> None:
        self.outputs, inputs = weights.shape
        width = -(-self.outputs // LANES) * LANES
        self.weights = np.zeros((inputs, width), np.float32)
        self.weights[:, : self.outputs] = weights.T
        self.biases = np.zeros(width, np.float32)
        self.biases[: self.outputs] = biases

    def __call__(self, rows: NDArray[Any]) -> NDArray[Any]:
        """Returns the outputs, (N, outputs), of rows (N, inputs), in float64 if they are."""
        if rows.dtype == np.float64:
            return (rows @ self.weights + self.biases)[:, : self.outputs]
        given = np.ascontiguousarray(rows, np.float32)
        inputs, width = self.weights.shape
        if given.ndim != 2 or given.shape[1] != inputs:
            raise InvalidValue(f"a layer takes (N, {inputs}) numbers, got shape {given.shape}")
        result = np.empty((len(given), self.outputs), np.float32)
        sums = np.empty((2, width), np.float32)
        arrays = given, self.weights, self.biases, sums, result
        places = map(address_of, arrays)
        multiply_rows.call(*places, len(given), inputs, width, self.outputs)
        return result


def tanh(values: NDArray[Any]) -> NDArray[Any]:
    """The hyperbolic tangent of each number, within 5e-7 and at most 1 (nan of nan).

    That of float64 is numpy's.
    """
    if values.dtype == np.float64:
        return np.tanh(values)
    result = np.empty(values.shape, np.float32)
    given = np.ascontiguousarray(values, np.float32)
    fill_tanh_of.call(address_of(given), address_of(result), 1, given.size)
    return result


@compiled_loop
def _add_products(weights: Any, one: Any, other: Any, sums: Any, other_sums: Any) -> None:
    """Adds all products of two observations, four by four in the order of their numbers."""
    inputs, width = weights.shape
    for k in range(0, inputs - 3, 4):  # fours first: faster, and rounded less
        w0, w1, w2, w3 = weights[k], weights[k + 1], weights[k + 2], weights[k + 3]
        a0, a1, a2, a3 = one[k], one[k + 1], one[k + 2], one[k + 3]
        b0, b1, b2, b3 = other[k], other[k + 1], other[k + 2], other[k + 3]
        for j in range(width):
            v0, v1, v2, v3 = w0[j], w1[j], w2[j], w3[j]
            sums[j] += (a0 * v0 + a1 * v1) + (a2 * v2 + a3 * v3)
            other_sums[j] += (b0 * v0 + b1 * v1) + (b2 * v2 + b3 * v3)
    for k in range(inputs - inputs % 4, inputs):
        w, a, b = weights[k], one[k], other[k]
        for j in range(width):
            sums[j] += a * w[j]
            other_sums[j] += b * w[j]


@compiled_loop
def multiply(rows: Any, weights: Any, biases: Any, sums: Any, result: Any) -> None:
    """Writes the outputs of a layer, biases + weights x for each row x.

    Rows are (N, inputs), weights (inputs, width) as in `Dense`, biases (width,), the result (N,
    outputs), and sums are room for (2, width).
    """
    for row in range(0, len(rows), 2):  # two at a time: each weight is read half as often
        other = min(row + 1, len(rows) - 1)
        for j in range(len(biases)):
            sums[0, j] = sums[1, j] = biases[j]
        _add_products(weights, rows[row], rows[other], sums[0], sums[1])
        for j in range(result.shape[1]):
            result[row, j] = sums[0, j]
            result[other, j] = sums[1, j]


@compiled_loop
def fill_tanh(values: Any, result: Any) -> None:
    """Writes the hyperbolic tangent of each number of a matrix, maybe the same matrix."""
    for row in range(values.shape[0]):
        for column in range(values.shape[1]):
            x = values[row, column]
            sign = np.float32(1.0) if x > _LARGEST else np.float32(-1.0)
            square = x * x
            above = _P[5] + square * _P[6]
            above = _P[4] + square * above
            above = _P[3] + square * above
            above = _P[2] + square * above
            above = _P[1] + square * above
            above = _P[0] + square * above
            below = _Q[2] + square * _Q[3]
            below = _Q[1] + square * below
            below = _Q[0] + square * below
            result[row, column] = sign if abs(x) > _LARGEST else x * above / below


@routine
def multiply_rows(
    rows_at: int,
    weights_at: int,
    biases_at: int,
    sums_at: int,
    result_at: int,
    count: int,
    inputs: int,
    width: int,
    outputs: int,
) -> None:
    """`multiply` of ``count`` rows."""
    multiply(
        matrix_at(rows_at, count, inputs, np.float32),
        matrix_at(weights_at, inputs, width, np.float32),
        records_at(biases_at, width, np.float32),
        matrix_at(sums_at, 2, width, np.float32),
        matrix_at(result_at, count, outputs, np.float32),
    )


@routine
def fill_tanh_of(values_at: int, result_at: int, rows: int, columns: int) -> None:
    """`fill_tanh` of a matrix (rows, columns)."""
    given = matrix_at(values_at, rows, columns, np.float32)
    fill_tanh(given, matrix_at(result_at, rows, columns, np.float32))
