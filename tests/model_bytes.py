"""Model files taken apart and put together by hand, to test what reading makes of them."""

import hashlib
import io
import json
import zipfile

MARK = b"disjoint-centroids model sha256 "


def members(data):
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def sealed(parts, compression=zipfile.ZIP_STORED):
    """A file whose digest is right, whatever is in it: what somebody who knows the format can make."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", compression=compression) as archive:
        for name, content in parts.items() if isinstance(parts, dict) else parts:
            archive.writestr(name, content)
        archive.comment = MARK + b"0" * 64
    body = buffer.getvalue()[:-64]
    return body + hashlib.sha256(body).hexdigest().encode()


def changed(data, member, change):
    """The file with one JSON member changed in place by a function, and sealed again."""
    parts = members(data)
    content = json.loads(parts[member])
    content = change(content) or content
    return sealed(parts | {member: json.dumps(content)})
