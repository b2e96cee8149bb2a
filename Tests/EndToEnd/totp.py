"""An authenticator app of the smallest kind (RFC 6238)."""

import base64
import hashlib
import hmac
import struct
import time


def code(secret: str, later: int = 0) -> str:
    """The six digits that an app with this base32 key shows, `later` steps from now."""
    bare = secret.replace(" ", "")
    key = base64.b32decode(bare + "=" * (-len(bare) % 8))
    mac = hmac.new(key, struct.pack(">Q", int(time.time()) // 30 + later), hashlib.sha1).digest()
    offset = mac[-1] & 15
    return f"{(struct.unpack('>I', mac[offset:offset + 4])[0] & 0x7FFFFFFF) % 1_000_000:06}"
