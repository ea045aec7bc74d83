"""A journal: a directory before a save, and the operations of that save, as one small zip file.

The zip has two entries. `journal` is text, fields separated by tabs: first lines `name value`, then after an empty line
one operation a line, `microseconds operation path ...`. Bytes of writes are in the entry `bytes`, as `offset length`.
The line `begin` separates what makes the directory as it was before from what the save did; times count from there.
"""

import zipfile


class Journal:
    """Collects facts and operations, then writes them."""

    def __init__(self):
        self.facts, self.before, self.operations, self.bytes = [], [], [], bytearray()
        self.known = {}

    def fact(self, name, value):
        self.facts.append("%s\t%s" % (name, value))

    def blob(self, data):
        data = bytes(data)
        if data not in self.known:
            self.known[data] = len(self.bytes)
            self.bytes.extend(data)
        return self.known[data], len(data)

    def line(self, micros, kind, *rest):
        fields = []
        for value in rest:
            fields.extend(self.blob(value) if isinstance(value, (bytes, bytearray)) else [value])
        for field in fields:
            if "\t" in str(field) or "\n" in str(field):
                raise ValueError("a tab or a line break in a name: %r" % field)
        return "\t".join(str(f) for f in [micros, kind, *fields])

    def write(self, path):
        text = "\n".join(self.facts) + "\n\n" + "\n".join(self.before) + "\nbegin\n" + "\n".join(self.operations) + "\n"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as out:
            for name, data in (("journal", text.encode()), ("bytes", bytes(self.bytes))):
                out.writestr(zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED, 9)
