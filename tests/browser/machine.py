"""Runs `engine.wasm` outside a browser, on a copy of an engine's memory."""

from __future__ import annotations

import ctypes

import numpy as np
import wasmtime

from steer_env.browser.entrances import LISTED
from steer_env.game.look import encoding
from steer_env.game.look.learner import SENSOR
from steer_env.game.run import (
    general_scripts,
    move,
    path_scripts,
    targets,
    vectorized_scripts,
    walls,
)
from steer_env.game.run.memory import CALL, MEMORY, NO_FAULT, SERVICES
from steer_env.game.run.ways import NUMBERS_OF_TURN
from steer_env.machine_code.routines import ROUTINES
from steer_env.scripts.table import SCRIPT
from steer_env.sides import Side

_ALIGNMENT = 64
_WITH_ROUTINES = (
    *(encoding, general_scripts, move, path_scripts, targets, vectorized_scripts, walls),
)


class Machine:
    """An instance of the module at a path: its exports, and room in its memory."""

    def __init__(self, path):
        engine = wasmtime.Engine()
        self._store = wasmtime.Store(engine)
        module = wasmtime.Module.from_file(engine, str(path))
        self._exports = wasmtime.Instance(self._store, module, []).exports(self._store)
        self._memory = self._exports["memory"]
        self._end = self._exports["__heap_base"].value(self._store)
        table = self.view(self._exports["routines"].value(self._store), np.int32, len(LISTED))
        self.routines = dict(zip(LISTED, table.tolist()))

    def call(self, name, *arguments):
        return self._exports[name](self._store, *arguments)

    def room(self, size):
        """The address of so many bytes of zeros."""
        address = -(-self._end // _ALIGNMENT) * _ALIGNMENT
        self._end = address + size
        missing = self._end - self._memory.data_len(self._store)
        if missing > 0:
            self._memory.grow(self._store, -(-missing // 2**16))
        return address

    def put(self, array):
        """The address of a copy of an array."""
        address = self.room(max(array.nbytes, 1))
        self.view(address, np.uint8, array.nbytes)[...] = np.frombuffer(
            np.ascontiguousarray(array).tobytes(), np.uint8
        )
        return address

    def view(self, address, dtype, count):
        """An array of what is in memory, until it grows."""
        start = ctypes.addressof(self._memory.data_ptr(self._store).contents) + address
        size = np.dtype(dtype).itemsize * count
        return np.frombuffer((ctypes.c_char * size).from_address(start), dtype)

    def read(self, address, like):
        """A copy of the array at an address."""
        return self.view(address, like.dtype, like.size).reshape(like.shape).copy()


def assert_same_bits(some, others):
    for name, one, other in zip(some._fields, some, others, strict=True):
        assert one.tobytes() == other.tobytes(), name


class Copy:
    """A copy of an engine's games, played by the module; the outcome is written for a side."""

    def __init__(self, machine, engine, side=0):
        self.machine, self.engine, self.side = machine, engine, side
        runner = engine._runner
        runner.compile()
        memory, scratch = runner.memory.copy(), runner._records[0].copy()
        native = {ROUTINES[name].address: name for name in LISTED}
        self.places = {
            name: machine.put(array) for name, array in engine.state._asdict().items()
        }
        for name, address in self.places.items():
            memory[name] = address
        for name, array in engine.limits._asdict().items():
            memory[name] = machine.put(array)
        for name, array in runner.spaces[0]._asdict().items():
            scratch[name] = machine.put(array)
        scratch["way_numbers"] = machine.put(np.zeros(NUMBERS_OF_TURN * runner._ways.most))
        scripts = engine.mixtures.table.copy()
        for row, solution in zip(scripts, engine.solutions):
            row.routine = machine.routines[native[int(row.routine)]] if row.routine else 0
            row.solution = machine.put(solution) if len(solution) else 0
        self.rules, self._scripts = machine.put(engine.rules), machine.put(scripts)
        memory["rules"], memory["scripts"] = self.rules, self._scripts
        memory["starts"] = machine.put(engine.starts)
        for name, array in (*runner._maps._asdict().items(), *runner._ways._asdict().items()):
            memory[name] = machine.put(array)
        memory["sensors"] = machine.put(np.zeros(2, SENSOR))
        for name in SERVICES:
            memory[name] = self._listed(native, memory[name][0])
        phases = memory["phases"][0]
        phases[...] = [[self._listed(native, place) for place in row] for row in phases]
        self.memory, games = machine.put(memory), engine.num_games
        self.call = np.zeros(1, CALL)
        self.call["memory"], self.call["scratch"] = self.memory, machine.put(scratch)
        self.call["last"], self.call["side"] = games, side
        self.call["mask"] = machine.put(np.ones(games, np.bool_))
        self.native = engine.new_outcome(side, is_observed=True)
        self.outcome = {name: machine.put(each) for name, each in self.native._asdict().items()}
        for name, address in self.outcome.items():
            self.call[name] = address
        self.address = machine.put(self.call)

    def _listed(self, native, address):
        """A routine's place in the module's table; 0 for none, or one that no page needs."""
        return self.machine.routines.get(native.get(int(address)), 0)

    def play(self, steps, when_over, **actions):
        """Steps the games; keywords are actions of the sides, as arrays."""
        call = self.machine.view(self.address, CALL, 1)
        call["steps"], call["when_over"] = steps, when_over
        for name, array in actions.items():
            if call[name] == 0:
                address = self.machine.put(array)
                call = self.machine.view(self.address, CALL, 1)  # memory may have grown
                call[name] = address
            self.machine.view(int(call[name][0]), np.float32, array.size)[...] = array.ravel()
        return self.machine.call("play_games", self.address)

    def play_alike(self, steps, when_over, actions=None):
        """Plays the games of the engine, too, and compares the bits of all that there is."""
        given = {f"{side.name}_actions": each for side, each in zip(Side, actions or ())}
        given = {name: array for name, array in given.items() if array.size}
        assert self.play(steps, when_over, **given) == NO_FAULT
        self.engine._runner.call(self.side, self.native, steps, when_over, actions)
        assert_same_bits(self.engine.state, self.state())
        if steps > 0:
            assert_same_bits(self.native, self.outcome_written())

    def state(self):
        """A copy of the columns of the games."""
        columns = self.engine.state._asdict().items()
        found = [self.machine.read(self.places[name], array) for name, array in columns]
        return type(self.engine.state)(*found)

    def write_state(self, state):
        """Puts the games into another state."""
        for name, array in state._asdict().items():
            self.machine.view(self.places[name], array.dtype, array.size)[...] = array.ravel()

    def outcome_written(self):
        """A copy of what the side got of the last step."""
        kept = self.native._asdict().items()
        found = [self.machine.read(self.outcome[name], array) for name, array in kept]
        return type(self.native)(*found)

    def set_memory(self, name, number):
        """Writes a field of the `MEMORY` record."""
        self.machine.view(self.memory, MEMORY, 1)[name] = number

    def explain_vectorized_scripts(self):
        """Makes vectorized scripts take the routine that explains them."""
        table = self.machine.view(self._scripts, SCRIPT, len(self.engine.mixtures.table))
        plain = table["routine"] == self.machine.routines["fill_vectorized_forces"]
        table["routine"][plain] = self.machine.routines["fill_general_forces"]
