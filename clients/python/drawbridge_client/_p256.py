"""ES256 verified with plain arithmetic: nothing that is handled here is secret (FIPS 186-5 §6.4.2)."""

import hashlib

P = 0xFFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
G = (0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
     0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5)


def is_on_curve(x: int, y: int) -> bool:
    return x < P and y < P and (y * y - (x * x * x - 3 * x + B)) % P == 0


def verifies(point: tuple, message: bytes, signature: bytes) -> bool:
    r, s = int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big")
    if len(signature) != 64 or not (0 < r < N and 0 < s < N):
        return False
    digest = int.from_bytes(hashlib.sha256(message).digest(), "big")
    inverse = pow(s, -1, N)
    x = _sum(digest * inverse % N, G, r * inverse % N, point)
    return x is not None and x % N == r


def _sum(a: int, first: tuple, b: int, second: tuple):
    """The x of a·first + b·second; None at infinity."""
    one, two = (*first, 1), (*second, 1)
    table = {(1, 0): one, (0, 1): two, (1, 1): _add(one, two)}
    total = None
    for bit in range(max(a.bit_length(), b.bit_length()) - 1, -1, -1):
        total = _double(total)
        step = (a >> bit & 1, b >> bit & 1)
        if step != (0, 0):
            total = _add(total, table[step])
    return None if total is None else total[0] * pow(total[2], -2, P) % P


def _double(point):
    if point is None or point[1] == 0:
        return None
    x, y, z = point
    square = y * y % P
    s, m = 4 * x * square % P, 3 * (x - z * z) * (x + z * z) % P
    new_x = (m * m - 2 * s) % P
    return new_x, (m * (s - new_x) - 8 * square * square) % P, 2 * y * z % P


def _add(one, two):
    if one is None or two is None:
        return one or two
    (x1, y1, z1), (x2, y2, z2) = one, two
    zz1, zz2 = z1 * z1 % P, z2 * z2 % P
    u1, u2, s1, s2 = x1 * zz2 % P, x2 * zz1 % P, y1 * zz2 * z2 % P, y2 * zz1 * z1 % P
    h, r = (u2 - u1) % P, (s2 - s1) % P
    if h == 0:
        return _double(one) if r == 0 else None
    hh = h * h % P
    hhh, v = h * hh % P, u1 * hh % P
    x = (r * r - hhh - 2 * v) % P
    return x, (r * (v - x) - s1 * hhh) % P, h * z1 * z2 % P
