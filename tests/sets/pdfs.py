"""PDFs as tests need them, written by hand: text, pictures, properties, links, attachments."""

from collections.abc import Sequence


def make_pdf(
    *pages: Sequence[str],
    title: str = "",
    picture: bool = False,
    invisible: bool = False,
    link: str = "",
    attachment: str = "",
    rotate: int = 0,
) -> bytes:
    """A PDF whose pages hold these lines of Helvetica, from the top down.

    Args:
        pages: The lines of each page.
        title: Put into the document's properties.
        picture: Whether a picture lies under the text of every page.
        invisible: Whether the text is drawn invisibly, as text recognition does.
        link: The target of a link on every page.
        attachment: The content of an attached file.
        rotate: By how much the pages are turned.
    """
    objects: list[bytes] = [b""] * 9
    kids: list[int] = []
    for lines in pages:
        kids.append(len(objects) + 1)
        drawn = [
            f"1 0 0 1 40 {760 - 20 * i} Tm ({_escaped(line)}) Tj" for i, line in enumerate(lines)
        ]
        drawing = f"{'q 200 0 0 90 40 600 cm /P Do Q ' if picture else ''}BT /F 12 Tf "
        drawing += f"{'3 Tr ' if invisible else ''}{' '.join(drawn)} ET"
        notes = "/Annots [6 0 R] " if link else ""
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /Contents {len(objects) + 2} 0 R {notes}"
            f"/Rotate {rotate} >>".encode()
        )
        objects.append(_stream("", drawing.encode("cp1252")))
    names = " /Names << /EmbeddedFiles << /Names [(f) 7 0 R] >> >>" if attachment else ""
    objects[0] = f"<< /Type /Catalog /Pages 2 0 R{names} >>".encode()
    objects[1] = (
        f"<< /Type /Pages /Kids [{' '.join(f'{kid} 0 R' for kid in kids)}] /Count {len(kids)}"
        " /MediaBox [0 0 600 800] /Resources << /Font << /F 3 0 R >> /XObject << /P 4 0 R >> >> >>"
    ).encode()
    objects[2] = (
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"
    )
    objects[3] = _stream(
        "/Type /XObject /Subtype /Image /Width 2 /Height 2 /BitsPerComponent 8"
        " /ColorSpace /DeviceGray",
        b"\x40\x50\x60\x70",
    )
    objects[4] = f"<< /Title ({_escaped(title)}) >>".encode()
    objects[5] = (
        f"<< /Type /Annot /Subtype /Link /Rect [40 700 200 720] /A << /S /URI /URI ({link}) >> >>"
    ).encode()
    objects[6] = b"<< /Type /Filespec /F (f.txt) /EF << /F 8 0 R >> >>"
    objects[7] = _stream("/Type /EmbeddedFile", attachment.encode())
    objects[8] = b"null"
    return _file(objects, info=bool(title))


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")


def _stream(head: str, data: bytes) -> bytes:
    return f"<< {head} /Length {len(data)} >> stream\n".encode() + data + b"\nendstream"


def _file(objects: list[bytes], *, info: bool) -> bytes:
    content, offsets = b"%PDF-1.5\n", []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(content))
        content += b"%d 0 obj " % number + body + b" endobj\n"
    start = len(content)
    content += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    content += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    head = b" /Info 5 0 R" if info else b""
    return content + (
        b"trailer << /Size %d /Root 1 0 R%s >>\nstartxref\n%d\n%%%%EOF\n"
        % (len(objects) + 1, head, start)
    )
