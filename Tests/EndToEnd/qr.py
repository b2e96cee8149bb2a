"""QR codes: what a page draws, and what another library would."""

import re

import qrcode
from qrcode.util import MODE_8BIT_BYTE, QRData


def drawn(page: str) -> list[list[bool]]:
    """The modules of the page's QR code, its margin included."""
    side, path = re.search(r'<svg class="qr" viewBox="0 0 (\d+) \1"[^>]*><path d="([^"]+)"/></svg>', page).groups()
    modules = [[False] * int(side) for _ in range(int(side))]
    for column, row, width in re.findall(r"M(\d+) (\d+)h(\d+)v1h-\3z", path):
        for place in range(int(column), int(column) + int(width)):
            modules[int(row)][place] = True
    return modules


def encoded(text: str, mask: int) -> list[list[bool]]:
    code = qrcode.QRCode(error_correction=qrcode.constants.ERROR_CORRECT_M, mask_pattern=mask, border=4)
    code.add_data(QRData(text.encode(), mode=MODE_8BIT_BYTE), optimize=0)
    code.make(fit=True)
    return code.get_matrix()
