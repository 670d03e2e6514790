"""Read QR codes (ISO/IEC 18004, level L, bytes), as a phone would read a matrix."""

from __future__ import annotations

from collections.abc import Iterator

Matrix = list[list[int]]
# Table 9 of the standard, level L: (blocks, codewords of a block, data codewords of a block).
_BLOCKS = {
    1: [(1, 26, 19)],
    2: [(1, 44, 34)],
    3: [(1, 70, 55)],
    4: [(1, 100, 80)],
    5: [(1, 134, 108)],
    6: [(2, 86, 68)],
    7: [(2, 98, 78)],
    8: [(2, 121, 97)],
    9: [(2, 146, 116)],
    10: [(2, 86, 68), (2, 87, 69)],
}
_CENTRES = {1: 0, 2: 18, 3: 22, 4: 26, 5: 30, 6: 34, 7: 38, 8: 42, 9: 46, 10: 50}
_LEVEL_L = {  # table C.1: the format bits of level L, by mask
    0x77C4: 0,
    0x72F3: 1,
    0x7DAA: 2,
    0x789D: 3,
    0x662F: 4,
    0x6318: 5,
    0x6C41: 6,
    0x6976: 7,
}


def read(matrix: Matrix) -> str:
    """Return the text of a code, after checking its fixed patterns, format and corrections."""
    size = len(matrix)
    version = (size - 17) // 4
    assert all(len(row) == size for row in matrix)
    _check_finders(matrix)
    mask = _mask(matrix)
    words = list(_words(matrix, version, mask))
    data: list[int] = []
    for block, length in _blocks(words, version):
        assert not any(_syndromes(block, len(block) - length))
        data += block[:length]
    bits = "".join(f"{word:08b}" for word in data)
    assert bits[:4] == "0100"
    wide = 8 if version < 10 else 16
    count = int(bits[4 : 4 + wide], 2)
    body = bits[4 + wide : 4 + wide + 8 * count]
    return bytes(int(body[i : i + 8], 2) for i in range(0, len(body), 8)).decode()


def _check_finders(matrix: Matrix) -> None:
    size = len(matrix)
    rings = ["1111111", "1000001", "1011101", "1011101", "1011101", "1000001", "1111111"]
    for top, left in ((0, 0), (0, size - 7), (size - 7, 0)):
        found = ["".join(map(str, row[left : left + 7])) for row in matrix[top : top + 7]]
        assert found == rings
    assert all(matrix[6][i] == matrix[i][6] == (i + 1) % 2 for i in range(8, size - 8))


def _mask(matrix: Matrix) -> int:
    size = len(matrix)
    near = [(8, i) for i in (0, 1, 2, 3, 4, 5, 7, 8)] + [(i, 8) for i in (7, 5, 4, 3, 2, 1, 0)]
    far = [(size - 1 - i, 8) for i in range(7)] + [(8, i) for i in range(size - 8, size)]
    first = "".join(str(matrix[row][column]) for row, column in near)
    second = "".join(str(matrix[row][column]) for row, column in far)
    assert first == second
    return _LEVEL_L[int(first, 2)]


def _words(matrix: Matrix, version: int, mask: int) -> Iterator[int]:
    size, bits = len(matrix), ""
    rules = (
        lambda i, j: (i + j) % 2,
        lambda i, j: i % 2,
        lambda i, j: j % 3,
        lambda i, j: (i + j) % 3,
        lambda i, j: (i // 2 + j // 3) % 2,
        lambda i, j: i * j % 2 + i * j % 3,
        lambda i, j: (i * j % 2 + i * j % 3) % 2,
        lambda i, j: ((i + j) % 2 + i * j % 3) % 2,
    )
    columns = [*range(size - 1, 6, -2), 5, 3, 1]
    for turn, right in enumerate(columns):
        rows = range(size) if turn % 2 else range(size - 1, -1, -1)
        for i in rows:
            for j in (right, right - 1):
                if not _fixed(i, j, size, version):
                    bits += str(matrix[i][j] ^ (rules[mask](i, j) == 0))
    for start in range(0, len(bits) - 7, 8):
        yield int(bits[start : start + 8], 2)


def _fixed(i: int, j: int, size: int, version: int) -> bool:
    if 6 in (i, j) or (i < 9 and (j < 9 or j >= size - 8)) or (i >= size - 8 and j < 9):
        return True
    if version >= 7 and ((i < 6 and j >= size - 11) or (j < 6 and i >= size - 11)):
        return True
    last = _CENTRES[version]
    centres = [6, *([22, 24, 26, 28][version - 7 : version - 6] if version >= 7 else []), last]
    corners = {(6, 6), (6, last), (last, 6)}
    return version > 1 and any(
        abs(i - a) <= 2 and abs(j - b) <= 2
        for a in centres
        for b in centres
        if (a, b) not in corners
    )


def _blocks(words: list[int], version: int) -> Iterator[tuple[list[int], int]]:
    shapes = [(total, data) for count, total, data in _BLOCKS[version] for _ in range(count)]
    held: list[list[int]] = [[] for _ in shapes]
    left = iter(words)
    for column in range(max(data for _, data in shapes)):
        for block, (_, data) in zip(held, shapes, strict=True):
            if column < data:
                block.append(next(left))
    for _ in range(shapes[0][0] - shapes[0][1]):
        for block in held:
            block.append(next(left))
    for block, (_, data) in zip(held, shapes, strict=True):
        yield block, data


def _syndromes(block: list[int], count: int) -> Iterator[int]:
    """Yield the polynomial of a block at 2^0, 2^1, …, which is zero without errors."""
    powers = [1]
    for _ in range(254):
        double = powers[-1] << 1
        powers.append(double ^ (0x11D if double > 255 else 0))
    logs = {power: place for place, power in enumerate(powers)}
    for place in range(count):
        value = 0
        for word in block:
            value = (powers[(logs[value] + place) % 255] if value else 0) ^ word
        yield value
