"""Runs `engine.wasm` outside a browser, on a copy of an engine's memory."""

from __future__ import annotations

import ctypes

import numpy as np
import wasmtime

from steer_env.browser.entrances import LISTED
from steer_env.game.memory import CALL, MEMORY
from steer_env.game.memory import ROUTINES as OPTIONAL
from steer_env.game.sensor import SENSOR
from steer_env.machine_code.routines import ROUTINES
from steer_env.scripts.table import SCRIPT

_ALIGNMENT = 64


class Machine:
    """An instance of the module: its exports, and room in its memory.

    Args:
        path: of the module.
    """

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


class Copy:
    """A copy of an engine's games, played by the module.

    Args:
        machine: the module.
        engine: the native one, which is not changed.
        side: the outcome is written for it.
    """

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
        for name, array in engine._limits._asdict().items():
            memory[name] = machine.put(array)
        for name, array in runner.spaces[0]._asdict().items():
            scratch[name] = machine.put(array)
        scripts = engine.mixtures.table.copy()
        for row, solution in zip(scripts, engine._solutions):
            row.routine = machine.routines[native[int(row.routine)]] if row.routine else 0
            row.solution = machine.put(solution) if len(solution) else 0
        self.rules, self._scripts = machine.put(engine.rules), machine.put(scripts)
        memory["rules"], memory["scripts"] = self.rules, self._scripts
        memory["starts"] = machine.put(engine._starts)
        memory["sensors"] = machine.put(np.zeros(2, SENSOR))
        for name in OPTIONAL:
            if memory[name][0] != 0:
                memory[name] = machine.routines[native[int(memory[name][0])]]
        for record in (memory, scratch):
            record["address"] = machine.room(record.nbytes)
            machine.view(int(record["address"][0]), record.dtype, 1)[...] = record
        self.memory, self.scratch_address = (
            int(memory["address"][0]),
            int(scratch["address"][0]),
        )
        games = engine.num_games
        self.call = np.zeros(1, CALL)
        self.call["memory"], self.call["scratch"] = self.memory, self.scratch_address
        self.call["last"], self.call["side"] = games, side
        self.call["mask"] = machine.put(np.ones(games, np.bool_))
        self._like = engine.new_outcome(side, is_observed=True)
        self.outcome = {name: machine.put(each) for name, each in self._like._asdict().items()}
        for name, address in self.outcome.items():
            self.call[name] = address
        self.address = machine.put(self.call)

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
        kept = self._like._asdict().items()
        found = [self.machine.read(self.outcome[name], array) for name, array in kept]
        return type(self._like)(*found)

    def set_memory(self, name, number):
        """Writes a field of the `MEMORY` record."""
        self.machine.view(self.memory, MEMORY, 1)[name] = number

    def explain_plain_scripts(self):
        """Has plain scripts take the routine that explains them."""
        table = self.machine.view(self._scripts, SCRIPT, len(self.engine.mixtures.table))
        plain = table["routine"] == self.machine.routines["fill_plain_forces"]
        table["routine"][plain] = self.machine.routines["fill_other_forces"]
