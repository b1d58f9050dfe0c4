import struct
import zlib

from evals_pipeline.sets.redaction.pictures import without_metadata

PIXELS = b"\x00\x01\x02\x03" * 9


def segment(marker, data):
    return bytes([0xFF, marker]) + struct.pack(">H", len(data) + 2) + data


def exif(orientation, order="<"):
    mark = b"II*\0" if order == "<" else b"MM\0*"
    entries = struct.pack(f"{order}HHIHH", 0x0112, 3, 1, orientation, 0)
    place = struct.pack(f"{order}HHII", 0x8825, 4, 1, 99)  # where the photograph was taken
    return b"Exif\0\0" + mark + struct.pack(f"{order}IH", 8, 2) + place + entries + b"Ada Hope"


def jpeg(*segments, after=b""):
    scan = segment(0xDA, b"\x01\x01\x00\x00\x3f\x00") + PIXELS + b"\xff\x00" + b"\xff\xd9"
    return b"\xff\xd8" + b"".join(segments) + scan + after


def test_a_photograph_loses_place_owner_previews_and_what_follows_it():
    tables = segment(0xDB, b"q" * 65)
    profile = segment(0xE2, b"ICC_PROFILE\0colours")
    content = jpeg(
        segment(0xE0, b"JFIF\0"),
        segment(0xE1, exif(1)),
        profile,
        segment(0xE2, b"MPF\0another picture"),
        segment(0xED, b"Photoshop Ada Hope"),
        segment(0xFE, b"by Ada Hope"),
        tables,
        after=b"a film of Ada Hope",
    )
    found = without_metadata(content)
    assert found == (jpeg(segment(0xE0, b"JFIF\0"), profile, tables), 5)


def test_how_a_photograph_is_turned_is_kept_and_nothing_else_of_exif():
    for order in "<>":
        content, n_left_out = without_metadata(jpeg(segment(0xE1, exif(6, order))))
        assert n_left_out == 1
        assert b"Ada" not in content
        kept = content[content.index(b"Exif") :]
        assert kept.startswith(b"Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0")
        assert without_metadata(content)[0] == content


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def test_a_png_loses_its_texts():
    start = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", b"h" * 13)
    rest = chunk(b"IDAT", b"pixels") + chunk(b"IEND", b"")
    content = start + chunk(b"tEXt", b"Author\0Ada Hope") + chunk(b"eXIf", b"MM") + rest + b"more"
    assert without_metadata(content) == (start + rest, 2)


def test_other_and_damaged_pictures_are_not_judged():
    assert without_metadata(b"GIF89a") is None
    assert without_metadata(b"\xff\xd8\xff\xe1\x00") is None
    assert without_metadata(b"\x89PNG\r\n\x1a\n\x00\x00") is None
