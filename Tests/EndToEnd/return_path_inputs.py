"""Inputs for the return-path rules: a grammar, mutations of the known cases, and noise. Seeded, so a find repeats."""

import random

SEGMENTS = [b"user", b"contacts", b"index.php", b"app", b"help", b"caf%C3%A9", b"account", b"a", b"", b".", b"..",
            b"...", b"%2e", b"%2E%2e", b".%2e", b"..;x", b";", b"a;b", b"%2f", b"%5c", b"%00", b"%ff", b"%C3%A9",
            b"%c0%ae", b"%25", b"%", b"%g1", b"\\", b"\\\\", b"@", b":", b"a:b@c", b"evil.example", b"~", b"*", b"'",
            b"\xc3\xa9", b"\xef\xbc\x8f", b"\xff", b" ", b"\t", b"\n", b"\r", b"|", b"`", b"{", b"^", b"\"", b"<"]
STARTS = [b"/", b"/", b"/", b"/", b"//", b"///", b"\\", b"/\\", b"", b"https://evil.example/", b"https:", b"https:/",
          b"javascript:", b"data:text/html,", b"/\t/", b"\x00/", b" /", b"?", b"#", b"./", b"../", b"\xef\xbb\xbf/"]
QUERIES = [b"", b"", b"", b"?", b"?a=b", b"?next=https://evil.example/", b"?q=%E2%9C%93", b"?x=%0d%0a", b"?x=%00",
           b"?x=%ff", b"?x='", b"?x=a+b", b"?x=\"", b"?a=b?c=d", b"??", b"?a=%", b"?a=[b]", b"?a=|", b"?a=\\", b"#f",
           b"?a#b", b"?/../..", b"?//evil.example"]
LISTED = [b"/user/contacts/index.php", b"/user/", b"/app/help", b"/caf%C3%A9", b"/user/a/b"]
ODD_BYTES = bytes(range(0x00, 0x30)) + b"%;?#\\@:^`{|}~\x7f\x80\xc3\xff"


def grammatical(chance: random.Random) -> bytes:
    path = b"/".join(chance.choice(SEGMENTS) for _ in range(chance.randint(0, 5)))
    return chance.choice(STARTS) + path + chance.choice(QUERIES)


def near_listed(chance: random.Random) -> bytes:
    text = chance.choice(LISTED)
    if text.endswith(b"/"):
        text += b"/".join(chance.choice(SEGMENTS) for _ in range(chance.randint(1, 3)))
    return text + chance.choice(QUERIES)


def mutated(chance: random.Random, corpus: list[bytes]) -> bytes:
    text = bytearray(chance.choice(corpus))
    for _ in range(chance.randint(1, 3)):
        at = chance.randint(0, len(text))
        match chance.randrange(5):
            case 0:
                text[at:at] = bytes([chance.choice(ODD_BYTES)])
            case 1:
                del text[at:at + chance.randint(1, 3)]
            case 2:
                text[at:at + 1] = bytes([chance.choice(ODD_BYTES)])
            case 3:
                text[at:at + 1] = b"%%%02x" % chance.choice(ODD_BYTES)
            case 4:
                text[at:at] = chance.choice(corpus)[:12]
    return bytes(text)


def plain(chance: random.Random) -> bytes:
    """Every printable byte under a listed prefix: most of what is accepted comes from here."""
    rest = bytes(chance.randint(0x21, 0x7E) for _ in range(chance.randint(1, 6)))
    return b"/user/" + rest


def noise(chance: random.Random) -> bytes:
    return bytes(chance.randrange(256) for _ in range(chance.randint(0, 24)))


def generate(count: int, seed: int, corpus: list[bytes]) -> list[bytes]:
    chance = random.Random(seed)
    kinds = [grammatical, near_listed, near_listed, plain, lambda c: mutated(c, corpus), lambda c: mutated(c, corpus),
             noise]
    return [chance.choice(kinds)(chance) for _ in range(count)]
