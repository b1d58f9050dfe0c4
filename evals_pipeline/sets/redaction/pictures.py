"""Takes out of a photograph's file what the picture does not show: place, owner, device, previews.

The pixels are untouched. Of JPEG and PNG everything but the picture is left out; how a photograph
is to be turned is kept, because it changes what is seen.
"""

import struct
from collections.abc import Iterator

_JPEG, _PNG = b"\xff\xd8", b"\x89PNG\r\n\x1a\n"
_START_OF_SCAN = 0xDA
_COLOUR_PROFILE = b"ICC_PROFILE\0"
_EXIF = b"Exif\0\0"
_KEPT_CHUNKS = frozenset(
    {b"IHDR", b"PLTE", b"IDAT", b"IEND", b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"iCCP", b"pHYs"}
    | {b"sBIT", b"bKGD"}
)


def without_metadata(content: bytes) -> tuple[bytes, int] | None:
    """The picture alone, and how many parts were left out; None where its format is not known.

    Args:
        content: The bytes of a JPEG, a PNG or something else.
    """
    try:
        if content.startswith(_JPEG):
            return _jpeg(content)
        if content.startswith(_PNG):
            return _png(content)
    except (struct.error, IndexError, ValueError):
        return None
    return None


def _jpeg(content: bytes) -> tuple[bytes, int]:
    parts, n_left_out = [_JPEG], 0
    position = 2
    while True:
        if content[position] != 0xFF:
            raise ValueError("no marker where one has to be")
        marker = content[position + 1]
        if marker == _START_OF_SCAN:
            break
        (length,) = struct.unpack(">H", content[position + 2 : position + 4])
        segment = content[position : position + 2 + length]
        if _is_of_picture(marker, segment[4:]):
            parts.append(segment)
        else:
            n_left_out += 1
            if turned := _orientation(segment[4:]):
                parts.append(_only_orientation(turned))
        position += 2 + length
    # What follows the picture's end is another file, such as the film of a moving photograph.
    found = content.find(b"\xff\xd9", position)
    end = found + 2 if found != -1 else len(content)
    parts.append(content[position:end])
    return b"".join(parts), n_left_out + (len(content) > end)


def _is_of_picture(marker: int, data: bytes) -> bool:
    is_application = 0xE0 <= marker <= 0xEF
    if marker == 0xE2:
        return data.startswith(_COLOUR_PROFILE)
    return marker in (0xE0, 0xEE) or not (is_application or marker == 0xFE)


def _orientation(data: bytes) -> int | None:
    """How the picture is to be turned, 2 to 8; None where it is not, or nothing says so."""
    if not data.startswith(_EXIF):
        return None
    tiff = data[len(_EXIF) :]
    order = "<" if tiff.startswith(b"II") else ">"
    (first,) = struct.unpack(f"{order}I", tiff[4:8])
    (count,) = struct.unpack(f"{order}H", tiff[first : first + 2])
    for i in range(count):
        entry = tiff[first + 2 + 12 * i : first + 14 + 12 * i]
        tag, kind = struct.unpack(f"{order}HH", entry[:4])
        if (tag, kind) == (0x0112, 3):
            (turned,) = struct.unpack(f"{order}H", entry[8:10])
            return turned if 2 <= turned <= 8 else None
    return None


def _only_orientation(turned: int) -> bytes:
    tiff = b"II*\0" + struct.pack("<IHHHIHHI", 8, 1, 0x0112, 3, 1, turned, 0, 0)
    data = _EXIF + tiff
    return b"\xff\xe1" + struct.pack(">H", len(data) + 2) + data


def _png(content: bytes) -> tuple[bytes, int]:
    parts, n_left_out = [_PNG], 0
    for kind, chunk in _chunks(content):
        if kind in _KEPT_CHUNKS:
            parts.append(chunk)
        else:
            n_left_out += 1
    picture = b"".join(parts)
    return picture, n_left_out


def _chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    position = len(_PNG)
    while True:
        (length,) = struct.unpack(">I", content[position : position + 4])
        kind = content[position + 4 : position + 8]
        chunk = content[position : position + 12 + length]
        if len(chunk) != 12 + length:
            raise ValueError("a chunk is cut off")
        yield kind, chunk
        if kind == b"IEND":
            return
        position += 12 + length
