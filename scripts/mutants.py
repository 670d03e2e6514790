"""Define small mistakes that can be put into a Python file: their places and their text.

A mutant replaces one stretch of the source and leaves every other character as it is. Strings,
annotations, what an error says, sizes of caches and `strict=` of `zip` are left alone.
"""

import ast
import hashlib
import io
import tokenize
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

OPERATORS: dict[str, tuple[str, tuple[str, ...]]] = {
    **{"<": ("compare", ("<=", ">=")), "<=": ("compare", ("<", ">"))},
    **{">": ("compare", (">=", "<")), ">=": ("compare", (">", "<"))},
    **{"==": ("compare", ("!=",)), "!=": ("compare", ("==",))},
    **{"+": ("arithmetic", ("-",)), "-": ("arithmetic", ("+",))},
    **{"*": ("arithmetic", ("/", "+")), "/": ("arithmetic", ("*",))},
    **{
        "//": ("arithmetic", ("/", "*")),
        "%": ("arithmetic", ("//",)),
        "**": ("arithmetic", ("*",)),
    },
    **{"+=": ("arithmetic", ("-=",)), "-=": ("arithmetic", ("+=",))},
    **{"*=": ("arithmetic", ("+=",)), "/=": ("arithmetic", ("*=",))},
    **{"//=": ("arithmetic", ("*=",)), "&=": ("logic", ("|=",)), "|=": ("logic", ("&=",))},
    **{"<<": ("arithmetic", (">>",)), ">>": ("arithmetic", ("<<",))},
    **{"&": ("logic", ("|",)), "|": ("logic", ("&",))},
    **{"and": ("logic", ("or",)), "or": ("logic", ("and",))},
}
TWINS = {
    **dict.fromkeys(["min", "minimum", "argmin"], "min/max"),
    **dict.fromkeys(["max", "maximum", "argmax"], "min/max"),
    **dict.fromkeys(["floor", "ceil", "floor_log2", "ceil_log2", "ceil_div"], "floor/ceil"),
    **dict.fromkeys(["any", "all"], "logic"),
}
OTHER = {"min": "max", "minimum": "maximum", "argmin": "argmax", "floor": "ceil", "any": "all"}
OTHER |= {"floor_log2": "ceil_log2"}
OTHER |= {there: here for here, there in OTHER.items()} | {"ceil_div": "(lambda a, b: a // b)"}
EITHER = {"min", "max", "minimum", "maximum", "add", "multiply", "gcd", "array_equal"}
NUMBERS = {"int", "float", "Fraction", "Int", "Float", "Fraction | int", "Fraction | float"}
NUMBERS |= {"NDArray[np.int64]", "NDArray[np.float64]"}


@dataclass(frozen=True)
class Mutant:
    """One small mistake.

    Attributes:
        path: The file, relative to the project.
        line: Where it begins.
        kind: What kind of mistake it is.
        where: The function or class it sits in.
        start: The first character that is replaced.
        end: The first after it that is not.
        new: What stands there instead.
        before: The lines as they were.
        after: The lines with the mistake.
    """

    path: str
    line: int
    kind: str
    where: str
    start: int
    end: int
    new: str
    before: str
    after: str

    @property
    def name(self) -> str:
        """What tells it from every other, whatever line it has moved to."""
        words = "\n".join((self.path, self.where, self.before.strip(), self.after.strip()))
        return hashlib.blake2b(words.encode(), digest_size=5).hexdigest()

    def applied(self, source: str) -> str:
        """Return the source with the mistake."""
        return source[: self.start] + self.new + source[self.end :]


def mutants(path: str, source: str) -> dict[int, list[Mutant]]:
    """Return every mutant of a file, by the line in which it begins.

    Some may be no Python, or say what the source says: `differs` tells.

    Args:
        path: What the file is called.
        source: Its text.

    Returns:
        The mutants of each line that has any.
    """
    found: dict[int, list[Mutant]] = defaultdict(list)
    for each in _File(path, source).mutants():
        found[each.line].append(each)
    return dict(found)


def differs(mutant: Mutant, source: str) -> bool:
    """Return True if a mutant is valid Python and differs from the source."""
    try:
        return ast.dump(ast.parse(mutant.applied(source))) != ast.dump(ast.parse(source))
    except SyntaxError:
        return False


class _File:
    """A parsed file, with the data for finding places in it."""

    def __init__(self, path: str, source: str) -> None:
        self.path, self.source = path, source
        self.tree = ast.parse(source)
        self.lines = source.splitlines(keepends=True)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))
        self.tokens = [
            (self.starts[token.start[0] - 1] + token.start[1], token.string)
            for token in tokenize.generate_tokens(io.StringIO(source).readline)
            if token.type in (tokenize.OP, tokenize.NAME)
        ]
        self.places = [at for at, _ in self.tokens]
        self.where = ""

    def mutants(self) -> Iterator[Mutant]:
        yield from self._visit(self.tree)

    def _visit(self, node: ast.AST) -> Iterator[Mutant]:
        outside = self.where
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            self.where = f"{outside}.{node.name}".lstrip(".")
        yield from self._of(node)
        for child in _children(node):
            yield from self._visit(child)
        self.where = outside

    def _of(self, node: ast.AST) -> Iterator[Mutant]:
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            for left, right in pairwise(sides):
                yield from self._operator(left, right)
        elif isinstance(node, ast.BinOp):
            yield from self._operator(node.left, node.right)
        elif isinstance(node, ast.AugAssign):
            yield from self._operator(node.target, node.value)
        elif isinstance(node, ast.BoolOp):
            for left, right in pairwise(node.values):
                yield from self._operator(left, right)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub | ast.Invert):
            kind = "arithmetic" if isinstance(node.op, ast.USub) else "logic"
            yield self._replaced(kind, node, self._text(node.operand))
        elif isinstance(node, ast.Constant):
            yield from self._constant(node)
        elif isinstance(node, ast.Name | ast.Attribute):
            yield from self._twin(node)
        elif isinstance(node, ast.Call):
            yield from self._swapped(node)
        elif isinstance(node, ast.If | ast.While | ast.IfExp) and not _of_types(node.test):
            yield self._replaced("logic", node.test, f"(not ({self._text(node.test)}))")
        elif isinstance(node, ast.FunctionDef):
            yield from self._defaults(node)
            yield from self._returns(node)
            yield from self._deleted(node)

    def _operator(self, left: ast.expr, right: ast.expr) -> Iterator[Mutant]:
        first = bisect_left(self.places, self._end(left))
        for at, word in self.tokens[first : bisect_left(self.places, self._start(right))]:
            if word in OPERATORS:
                kind, others = OPERATORS[word]
                for other in others:
                    yield self._mutant(kind, at, at + len(word), other)

    def _constant(self, node: ast.Constant, kind: str = "constant") -> Iterator[Mutant]:
        value = node.value
        if isinstance(value, bool):
            yield self._replaced("True/False" if kind == "constant" else kind, node, str(not value))
        elif isinstance(value, int):
            yield self._replaced(kind, node, str(value + 1))
            if value:
                yield self._replaced(kind, node, str(value - 1))
        elif value == 0.0:
            yield self._replaced(kind, node, "1.0")
        elif isinstance(value, float):
            for factor in ("2", "0.5"):
                yield self._replaced(kind, node, f"({self._text(node)} * {factor})")

    def _twin(self, node: ast.Name | ast.Attribute) -> Iterator[Mutant]:
        word = node.id if isinstance(node, ast.Name) else node.attr
        if isinstance(node.ctx, ast.Load) and word in TWINS:
            end = self._end(node)
            if isinstance(node, ast.Name) or word != "ceil_div":
                yield self._mutant(TWINS[word], end - len(word), end, OTHER[word])

    def _swapped(self, node: ast.Call) -> Iterator[Mutant]:
        if getattr(node.func, "attr", getattr(node.func, "id", "")) in EITHER:
            return
        for left, right in pairwise(node.args):
            if not isinstance(left, ast.Starred) and not isinstance(right, ast.Starred):
                between = self.source[self._end(left) : self._start(right)]
                text = self._text(right) + between + self._text(left)
                yield self._mutant("arguments", self._start(left), self._end(right), text)

    def _defaults(self, node: ast.FunctionDef) -> Iterator[Mutant]:
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if isinstance(default, ast.Constant):
                yield from self._constant(default, "default")

    def _returns(self, node: ast.FunctionDef) -> Iterator[Mutant]:
        says = "" if node.returns is None else self._text(node.returns)
        for inner in _own(node.body):
            if isinstance(inner, ast.Return) and inner.value is not None:
                text = self._text(inner.value)
                if says in NUMBERS:
                    yield self._replaced("return", inner.value, f"({text}) + 1")
                    yield self._replaced("return", inner.value, f"({text}) - 1")
                elif says == "bool":
                    yield self._replaced("return", inner.value, f"not ({text})")

    def _deleted(self, node: ast.FunctionDef) -> Iterator[Mutant]:
        known = {each.arg for each in (*node.args.args, *node.args.kwonlyargs)}
        for inner in _own(node.body):
            if isinstance(inner, ast.Assign | ast.AnnAssign):
                targets = inner.targets if isinstance(inner, ast.Assign) else [inner.target]
                names = set(_stored(inner))
                again = bool(names) and names <= known
                kept = any(isinstance(each, ast.Attribute | ast.Subscript) for each in targets)
                known |= names
                if again or kept:
                    yield self._replaced("deleted", inner, "pass")
            elif _is_dispensable(inner):
                yield self._replaced("deleted", inner, "pass")

    def _replaced(self, kind: str, node: ast.AST, text: str) -> Mutant:
        return self._mutant(kind, self._start(node), self._end(node), text)

    def _mutant(self, kind: str, start: int, end: int, new: str) -> Mutant:
        low, high = self._line(start), self._line(end - 1) + 1
        before = self.source[self.starts[low] : self.starts[high]]
        after = self.source[self.starts[low] : start] + new + self.source[end : self.starts[high]]
        return Mutant(self.path, low + 1, kind, self.where, start, end, new, before, after)

    def _line(self, at: int) -> int:
        return bisect_right(self.starts, at) - 1

    def _start(self, node: ast.AST) -> int:
        return self._at(getattr(node, "lineno", 1), getattr(node, "col_offset", 0))

    def _end(self, node: ast.AST) -> int:
        return self._at(getattr(node, "end_lineno", 1), getattr(node, "end_col_offset", 0))

    def _at(self, line: int, column: int) -> int:
        """Return a position in characters, since columns of the tree count bytes."""
        text = self.lines[line - 1].encode()[:column].decode()
        return self.starts[line - 1] + len(text)

    def _text(self, node: ast.AST) -> str:
        return self.source[self._start(node) : self._end(node)]


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """Return the parts of a node that may be mutated: no annotations, messages or cache sizes."""
    skipped: list[ast.AST | None] = [getattr(node, "annotation", None)]
    if isinstance(node, ast.FunctionDef):
        defaults = (*node.args.defaults, *node.args.kw_defaults)
        skipped += [node.returns, *node.decorator_list]
        skipped += [each for each in defaults if isinstance(each, ast.Constant)]
        yield from (each for each in ast.iter_child_nodes(node.args) if each not in skipped)
        skipped += [node.args]
    if isinstance(node, ast.ClassDef):
        skipped += node.decorator_list
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
        skipped += node.args[1:]
    if isinstance(node, ast.Raise):
        return
    if isinstance(node, ast.If) and _of_types(node.test):
        return
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "zip":
        skipped += [each for each in node.keywords if each.arg == "strict"]
    for child in ast.iter_child_nodes(node):
        if child not in skipped and not isinstance(child, ast.arg | ast.JoinedStr):
            yield child


def _of_types(test: ast.expr) -> bool:
    """Return True if a node exists only for the type checker."""
    return isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"


def _own(body: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """Return every statement of a function, without those of inner functions."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(node, ast.stmt):
            yield node
        yield from _own(list(ast.iter_child_nodes(node)))


def _stored(node: ast.AST) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            yield each.id


def _is_dispensable(node: ast.AST) -> bool:
    """Return True if the function still parses without a statement."""
    if isinstance(node, ast.Expr):
        return not isinstance(node.value, ast.Constant | ast.Yield | ast.YieldFrom)
    if isinstance(node, ast.If):
        return not node.orelse
    return isinstance(node, ast.AugAssign | ast.Raise | ast.Continue | ast.Break)
