"""Makes faults in the source at random, and finds those of a list in the source.

    PYTHONPATH=. python tests/by_hand/faults.py --write

makes the list `tests/data/faults.json` again, without the faults that nobody can notice, which
it keeps as "equivalent". A fault replaces a statement, or the first line of a compound one. Its
file, function and text identify it, and its number among equal ones, so it can be found after
it has moved. `try_faults.py` counts the faults that the tests catch.
"""

from __future__ import annotations

import ast
import json
import random
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator
from operator import attrgetter
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
LIST = ROOT / "tests/data/faults.json"
SEED = 1
NUMBERS = {"uncompiled": 400, "compiled": 100}
"""Numbers of faults in code that always runs as Python, and in compiled formulas."""
FORMULAS = ("steering/", "solved/", "scripts/", "game/")  # where those are, of `steer_env`

FOLDERS = ("steer_env", "baselines", "agents")
NEITHER = ("machine_code/", "builder/")
"""Makers of machine code."""
COMPILED = {"compiled", "compiled_modular", "compiled_loop", "compiled_class", "routine"}
SKIPPED = {"when_compiled", "abstractmethod", "overload"}
BODIES = ("body", "orelse", "finalbody", "handlers", "cases")
TEXTS = {"print", "say", "warn", "cast"}  # calls whose arguments are messages or types
LONGEST = 160  # letters of a statement
SYMMETRIC = {"min", "max", "minimum", "maximum", "hypot", "dot", "array_equal"}
SYMMETRIC |= {"isinstance", "issubclass", "getattr", "hasattr", "setattr"}  # or always an error
PAIRS = (
    (ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.Is, ast.IsNot),
    (ast.In, ast.NotIn), (ast.And, ast.Or), (ast.Add, ast.Sub), (ast.Mult, ast.Div),
)  # fmt: skip
OTHER: dict[type, Any] = dict(PAIRS) | {other: one for one, other in PAIRS}


class Fault(NamedTuple):
    """A statement of a function, and its replacement: nothing if `new` is empty."""

    file: str
    function: str
    old: str
    number: int
    new: str

    def __str__(self) -> str:
        """The fault in one line."""
        return f"{self.file} {self.function}: {self.old} -> {self.new or 'nothing'}"


class Place(NamedTuple):
    """A statement in the source, and the block it stands in."""

    file: str
    function: str
    old: str
    number: int
    part: str
    statement: Any
    block: list[Any]
    is_nested: bool

    @property
    def lines(self) -> range:
        """The lines of the statement; the first lines of a compound one."""
        body = getattr(self.statement, "body", None)
        end = body[0].lineno - 1 if body else self.statement.end_lineno
        return range(self.statement.lineno, max(self.statement.lineno, end) + 1)


def text_of(statement: ast.stmt) -> str:
    """A statement in normal spelling; the first line of a compound one, with its colon."""
    fields = dict(ast.iter_fields(statement))
    fields.update({name: [] for name in BODIES if name in fields})
    return ast.unparse(type(statement)(**fields, lineno=1))


def parsed(text: str) -> Any:
    """The statement of a text; a compound one has an empty body, and no text does nothing."""
    return ast.parse(text + "\n    pass" * text.endswith(":") or "pass").body[0]


def name_of(node: Any) -> str:
    """The last part of a name, also of a called one."""
    node = getattr(node, "func", node)
    return getattr(node, "id", getattr(node, "attr", ""))


def places(root: Path, file: str) -> tuple[ast.Module, list[Place]]:
    """The syntax tree of a file, and the statements in its functions, in order."""
    found: list[Place] = []
    seen: Counter[tuple[str, str]] = Counter()

    def visit(node: ast.AST, name: str, part: str, is_inside: bool) -> None:
        for block in (getattr(node, field, []) for field in BODIES):
            for child in block:
                if isinstance(child, (ast.FunctionDef, ast.ClassDef)):
                    marks = set(map(name_of, child.decorator_list))
                    inner = "compiled" if marks & COMPILED else part
                    if not marks & SKIPPED:
                        is_function = is_inside or isinstance(child, ast.FunctionDef)
                        visit(child, f"{name}.{child.name}".strip("."), inner, is_function)
                    continue
                if is_inside and isinstance(child, ast.stmt) and not hasattr(child, "handlers"):
                    old = text_of(child)
                    is_nested = not isinstance(node, ast.FunctionDef)
                    key = (file, name, old, seen[name, old])
                    found.append(Place(*key, part, child, block, is_nested))
                    seen[name, old] += 1
                visit(child, name, part, is_inside)

    tree = ast.parse((root / file).read_text(encoding="utf-8"))
    visit(tree, "", "uncompiled", False)
    return tree, found


def expressions(node: ast.AST) -> Iterator[Any]:
    """A node and all within it, without texts, types and messages."""
    if isinstance(node, ast.Call) and name_of(node) in TEXTS:
        return
    yield node
    for name, value in ast.iter_fields(node):
        for child in value if isinstance(value, list) else [value]:
            is_text = isinstance(child, ast.JoinedStr) or name in ("annotation", "exc")
            if isinstance(child, ast.AST) and not is_text:
                yield from expressions(child)


def edits(node: Any) -> Iterator[tuple[str, str, Any]]:
    """The faults of one node: a kind, and a field with its new value."""
    match node:
        case ast.Compare(ops=ops):
            for index, one in enumerate(ops):
                other = [*ops[:index], OTHER[type(one)](), *ops[index + 1 :]]
                yield "comparison", "ops", other
        case ast.BoolOp(op=op):
            yield "and, or", "op", OTHER[type(op)]()
        case ast.BinOp(op=op) | ast.AugAssign(op=op) if type(op) in OTHER:
            if "'" not in ast.unparse(node):
                yield "arithmetic", "op", OTHER[type(op)]()
        case ast.Constant(value=bool(value)):
            yield "constant", "value", not value
        case ast.Constant(value=int(value) | float(value)):
            yield "constant", "value", 0 if value == 1 else value + 1
        case ast.Call(args=args) if name_of(node) not in SYMMETRIC:
            for index in range(len(args) - 1):
                one, other = args[index : index + 2]
                if not isinstance(one, ast.Starred) and not isinstance(other, ast.Starred):
                    yield "arguments", "args", [*args[:index], other, one, *args[index + 2 :]]
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            yield "condition", "test", negated(test)
        case ast.comprehension(ifs=[first, *others]):
            yield "condition", "ifs", [negated(first), *others]
        case ast.Return(value=ast.UnaryOp(op=ast.Not(), operand=value)):
            yield "condition", "value", value


def negated(node: ast.expr) -> ast.expr:
    """The opposite of a condition."""
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return operand
    return ast.UnaryOp(ast.Not(), node)


def can_go(place: Place) -> bool:
    """Returns True if code without this statement may still run, with another result."""
    match place.statement:
        case ast.Expr(value=ast.Call() as call):
            return name_of(call) not in TEXTS
        case ast.Assign(targets=[target]):
            return isinstance(target, (ast.Attribute, ast.Subscript))
        case ast.Return():
            return place.is_nested
        case ast.AugAssign() | ast.Raise() | ast.Continue() | ast.Break() | ast.Delete():
            return True
    return False


def replacements(place: Place) -> Iterator[tuple[str, str]]:
    """Kinds of faults, and texts that replace a statement."""
    if can_go(place) and "NotImplementedError" not in place.old:
        yield "dropped", ""
    whole = parsed(place.old)
    for node in [*expressions(whole)]:
        for kind, field, value in [*edits(node)]:
            before = getattr(node, field)
            setattr(node, field, value)
            if (text := text_of(whole)) != place.old:
                yield kind, text
            setattr(node, field, before)


def drawn(part: str) -> Iterator[Fault]:
    """Draws faults without end: a file by its lines, then a kind, then a statement."""
    chance = random.Random(f"{part} {SEED}")
    lines: Counter[str] = Counter()
    kinds: dict[str, dict[str, list[Fault]]] = defaultdict(lambda: defaultdict(list))
    for file in source_files(ROOT):
        for place in (one for one in places(ROOT, file)[1] if one.part == part):
            lines[file] += len(place.lines)
            for kind, text in replacements(place) if len(place.old) <= LONGEST else ():
                kinds[file][kind].append(Fault(*place[:4], text))
    folders = [f"steer_env/{one}" for one in FORMULAS if part == "compiled"] or FOLDERS
    files = [one for one in kinds if one.startswith(tuple(folders))]
    files = [one for one in files if not any(folder in one for folder in NEITHER)]
    while True:
        (file,) = chance.choices(files, [lines[file] for file in files])
        yield chance.choice(kinds[file][chance.choice(sorted(kinds[file]))])


def source_files(root: Path) -> list[str]:
    """The files that have faults, in order."""
    paths = (path for name in FOLDERS for path in sorted((root / name).rglob("*.py")))
    return [path.relative_to(root).as_posix() for path in paths]


def found(root: Path, wanted: Collection[Fault]) -> dict[Fault, Place]:
    """Finds the statements of faults, also in functions that were moved or renamed."""
    result: dict[Fault, Place] = {}
    for keys, files in (
        (("file", "function", "old", "number"), sorted({one.file for one in wanted})),
        (("function", "old", "number"), source_files(root)),
        (("old",), source_files(root)),
    ):
        key = attrgetter(*keys)
        missing = [one for one in wanted if one not in result]
        index: dict[Any, list[Place]] = {key(one): [] for one in missing}
        for file in files if missing else []:
            for place in places(root, file)[1] if (root / file).exists() else []:
                if key(place) in index:
                    index[key(place)].append(place)
        result |= {one: index[key(one)][0] for one in missing if len(index[key(one)]) == 1}
    return result


def code_with(root: Path, place: Place, new: str) -> CodeType:
    """The compiled module of a place in which a text replaces the statement."""
    tree, found = places(root, place.file)
    place = next(one for one in found if one[:4] == place[:4])
    old, other = place.statement, ast.increment_lineno(parsed(new), place.lines[0] - 1)
    for name in BODIES:
        if hasattr(old, name):
            setattr(other, name, getattr(old, name))
    if not new:  # the function keeps its variables
        other = ast.copy_location(ast.If(ast.Constant(False), [old], []), old)
    place.block[place.block.index(old)] = other
    ast.fix_missing_locations(tree)
    return compile(tree, str(root / place.file), "exec", dont_inherit=True)


def read(path: Path, name: str = "faults") -> list[Fault]:
    """The faults of a list, or those that it leaves out as "equivalent"."""
    return [Fault(*row) for row in json.loads(path.read_text(encoding="utf-8"))[name]]


def write(path: Path, **lists: Collection[Fault]) -> None:
    """Writes lists of faults, one a line."""
    rows = {name: ",\n".join(map(json.dumps, sorted(one))) for name, one in lists.items()}
    whole = ",\n".join(f'"{name}": [\n{text}\n]' for name, text in rows.items())
    path.write_text(f"{{\n{whole}\n}}\n", encoding="utf-8")


def main() -> None:
    """Writes the list again."""
    equivalent = read(LIST, "equivalent") if LIST.exists() else []
    chosen: dict[tuple[Any, ...], Fault] = {}
    for part, number in NUMBERS.items():
        others = (one for one in drawn(part) if one not in equivalent)
        enough = len(chosen) + number
        while len(chosen) < enough:
            fault = next(others)
            chosen.setdefault(fault[:4], fault)
    write(LIST, faults=chosen.values(), equivalent=equivalent)


if __name__ == "__main__":
    main()
