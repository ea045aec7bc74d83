"""Reads what strace saw of a save: every operation that changed a directory, in the order in which they returned.

The trace is made with TRACED and OPTIONS below. A file's bytes are kept as they were written; bytes that the kernel
copied from a file (sendfile, copy_file_range, splice) are looked up in that file. What cannot be followed (shared
writable memory maps) fails loudly, and so does a trace whose operations, done again, do not give the directory as it
is.
"""

import os
import re

TRACED = (
    "open,openat,creat,close,dup,dup2,dup3,lseek,write,pwrite64,writev,pwritev,pwritev2,sendfile,copy_file_range,"
    "splice,ftruncate,truncate,fallocate,rename,renameat,renameat2,unlink,unlinkat,rmdir,mkdir,mkdirat,link,linkat,"
    "symlink,symlinkat,mmap,fsync,fdatasync,sync_file_range,syncfs,sync,ioctl,clone,clone3,fork,vfork")
OPTIONS = ["-f", "-y", "-xx", "-ttt", "-s", "8000000", "-e", "signal=none", "-e", "trace=" + TRACED]

LINE = re.compile(r"^(\d+)\s+(\d+\.\d+) (.*)$")
CALL = re.compile(r"^(\w+)\((.*)\)\s+= (-?\d+|0x[0-9a-f]+|\?)(?:<([^>]*)>)?.*$", re.S)
HEX = re.compile(r"(?:\\x[0-9a-f]{2})*")


def unhex(text):
    """The bytes of a string as -xx prints it, without quotes."""
    return bytes.fromhex(text.replace("\\x", ""))


def arguments(text):
    """The arguments of a call, split at the commas that are outside of brackets."""
    out, depth, start = [], 0, 0
    for at, c in enumerate(text):
        if c in "[{(":
            depth += 1
        elif c in "]})":
            depth -= 1
        elif c == "," and depth == 0:
            out.append(text[start:at].strip())
            start = at + 1
    out.append(text[start:].strip())
    return out


def calls(lines):
    """The calls in the order of their returns: (thread, seconds, name, arguments, result, path of the result)."""
    begun = {}
    for line in lines:
        match = LINE.match(line.rstrip("\n"))
        if not match:
            raise RuntimeError("not a line of strace -f -ttt: " + line[:200])
        thread, when, rest = int(match[1]), float(match[2]), match[3]
        if rest.startswith(("+++", "---")):
            continue
        if rest.endswith("<unfinished ...>"):
            begun[thread] = rest[:-len("<unfinished ...>")]
            continue
        resumed = re.match(r"^<\.\.\. \w+ resumed>(.*)$", rest, re.S)
        if resumed:
            rest = begun.pop(thread) + resumed[1]
        call = CALL.match(rest)
        if not call:
            raise RuntimeError("not a call of strace: " + rest[:200])
        result = None if call[3] == "?" else int(call[3], 0)
        path = unhex(call[4]).decode() if call[4] and HEX.fullmatch(call[4]) else ""
        yield thread, when, call[1], arguments(call[2]), result, path


class Entry:
    """A file, directory or link, whatever names it has."""

    def __init__(self, kind, text=""):
        self.kind, self.text, self.data = kind, text, bytearray()


class Directory:
    """A directory as operations change it; it hands each operation below its root to a listener."""

    def __init__(self, root, listener):
        self.root, self.listener, self.entries, self.closed = root, listener, {}, False
        for path, _, files in os.walk(root):
            self.entries[path] = Entry("directory")
            for name in files:
                self.entries[os.path.join(path, name)] = read(os.path.join(path, name))
            for name in [n for n in os.listdir(path) if os.path.islink(os.path.join(path, n))]:
                self.entries[os.path.join(path, name)] = read(os.path.join(path, name))

    def has(self, path):
        return path == self.root or path.startswith(self.root + "/")

    def name(self, path):
        return os.path.relpath(path, self.root)

    def note(self, when, kind, *rest):
        self.listener(when, kind, *rest)

    def make(self, when, path, kind, text=""):
        self.entries[path] = Entry(kind, text)
        self.note(when, {"directory": "mkdir", "file": "create", "link": "symlink"}[kind], self.name(path),
                  *([text] if kind == "link" else []))

    def write(self, when, path, offset, data):
        entry = self.entries[path]
        if len(entry.data) < offset:
            entry.data.extend(bytes(offset - len(entry.data)))
        entry.data[offset:offset + len(data)] = data
        self.note(when, "write", self.name(path), offset, data)

    def truncate(self, when, path, size):
        entry = self.entries[path]
        if len(entry.data) == size:
            return
        del entry.data[size:]
        entry.data.extend(bytes(size - len(entry.data)))
        self.note(when, "truncate", self.name(path), size)

    def remove(self, when, path, kind):
        del self.entries[path]
        self.note(when, kind, self.name(path))

    def rename(self, when, source, target):
        moved = {p: e for p, e in self.entries.items() if p == source or p.startswith(source + "/")}
        for path in moved:
            del self.entries[path]
        for path, entry in moved.items():
            self.entries[target + path[len(source):]] = entry
        self.note(when, "rename", self.name(source), self.name(target))

    def same_as_disk(self):
        """What differs from the directory as it is; empty when nothing does."""
        there = Directory(self.root, lambda *_: None).entries
        return [p for p in sorted(there.keys() | self.entries.keys())
                if p not in there or p not in self.entries
                or (there[p].kind, there[p].text, there[p].data) != (
                    self.entries[p].kind, self.entries[p].text, self.entries[p].data)]


def read(path):
    if os.path.islink(path):
        return Entry("link", os.readlink(path))
    entry = Entry("file")
    with open(path, "rb") as file:
        entry.data.extend(file.read())
    return entry


class Replay:
    """Follows the calls of a trace and does them on a Directory."""

    def __init__(self, directory):
        self.directory, self.offsets, self.tables = directory, {}, {}

    def run(self, path_of_trace):
        with open(path_of_trace, encoding="ascii") as file:
            lines = file.readlines()
        for thread, _, name, args, result, _ in calls(lines):
            if name in ("clone", "clone3", "fork", "vfork") and result and result > 0:
                shares = "CLONE_FILES" in " ".join(args)
                self.tables[result] = (thread, shares)
        for call in calls(lines):
            self.step(*call)

    def table(self, thread):
        parent = self.tables.get(thread)
        return self.table(parent[0]) if parent and parent[1] else thread

    @staticmethod
    def descriptor(text):
        """The number and the path of a descriptor as -y prints it."""
        match = re.match(r"^(AT_FDCWD|-?\d+)(?:<((?:\\x[0-9a-f]{2})*)>)?(\(deleted\))?$", text)
        if not match:
            return None, ""
        deleted = match[3] or (match[2] or "").endswith(r"\x20\x28\x64\x65\x6c\x65\x74\x65\x64\x29")
        return match[1], "" if deleted else unhex(match[2] or "").decode(errors="replace")

    @staticmethod
    def string(text):
        if not re.fullmatch(r'"(?:\\x[0-9a-f]{2})*"', text):
            raise RuntimeError("not a whole string: " + text[:100])
        return unhex(text[1:-1])

    def path(self, text, at=None):
        name = self.string(text).decode(errors="replace")
        base = self.descriptor(at)[1] if at is not None else ""
        return os.path.normpath(os.path.join(base, name))

    def step(self, thread, when, name, args, result, result_path):
        if result is None or result < 0:
            return
        d = self.directory
        if name in ("open", "openat", "creat"):
            path = result_path or (self.path(args[1], args[0]) if name == "openat" else self.path(args[0]))
            flags = {"open": args[1:2], "openat": args[2:3], "creat": ["O_CREAT|O_TRUNC|O_WRONLY"]}[name][0].split("|")
            self.offsets[self.table(thread), str(result)] = "end" if "O_APPEND" in flags else 0
            if d.has(path) and "O_TMPFILE" in flags:
                raise RuntimeError("a file without a name in " + path)
            if d.has(path) and "O_CREAT" in flags and path not in d.entries:
                d.make(when, path, "file")
            elif d.has(path) and "O_TRUNC" in flags:
                d.truncate(when, path, 0)
        elif name in ("dup", "dup2", "dup3"):
            if d.has(self.descriptor(args[0])[1]):
                raise RuntimeError("a second descriptor of " + self.descriptor(args[0])[1])
        elif name in ("mkdir", "mkdirat", "symlink", "symlinkat", "link", "linkat", "rename", "renameat", "renameat2",
                      "unlink", "unlinkat", "rmdir", "truncate"):
            self.named(when, name, args)
        elif name in ("sync", "syncfs"):
            d.note(when, "sync", ".")
        elif name not in ("close", "clone", "clone3", "fork", "vfork"):
            self.described(thread, when, name, args, result)

    def named(self, when, name, args):
        d = self.directory
        if name in ("mkdir", "mkdirat"):
            path = self.path(args[1], args[0]) if name == "mkdirat" else self.path(args[0])
            if d.has(path):
                d.make(when, path, "directory")
        elif name in ("symlink", "symlinkat"):
            path = self.path(args[2], args[1]) if name == "symlinkat" else self.path(args[1])
            if d.has(path):
                d.make(when, path, "link", self.string(args[0]).decode())
        elif name in ("link", "linkat"):
            source, path = (self.path(args[0]), self.path(args[1])) if name == "link" else (
                self.path(args[1], args[0]), self.path(args[3], args[2]))
            if d.has(path):
                d.entries[path] = d.entries[source]
                d.note(when, "link", d.name(source), d.name(path))
        elif name in ("rename", "renameat", "renameat2"):
            source, path = (self.path(args[0]), self.path(args[1])) if name == "rename" else (
                self.path(args[1], args[0]), self.path(args[3], args[2]))
            if d.has(source) != d.has(path):
                raise RuntimeError("moved over the edge of the directory: %s to %s" % (source, path))
            if d.has(path):
                d.rename(when, source, path)
        elif name == "truncate":
            if d.has(self.path(args[0])):
                d.truncate(when, self.path(args[0]), int(args[1]))
        else:
            path = self.path(args[1], args[0]) if name == "unlinkat" else self.path(args[0])
            if d.has(path):
                folder = name == "rmdir" or (name == "unlinkat" and "AT_REMOVEDIR" in args[2])
                d.remove(when, path, "rmdir" if folder else "unlink")

    def described(self, thread, when, name, args, result):
        d = self.directory
        at = {"sendfile": 0, "copy_file_range": 2, "splice": 2, "mmap": 4}.get(name, 0)
        number, path = self.descriptor(args[at])
        if not path or not d.has(path) or path not in d.entries or d.entries[path].kind != "file":
            return
        key = self.table(thread), number
        if name == "lseek":
            self.offsets[key] = result
        elif name in ("fsync", "fdatasync", "sync_file_range"):
            d.note(when, "sync", d.name(path))
        elif name == "ftruncate":
            d.truncate(when, path, int(args[1]))
        elif name == "fallocate":
            if args[1] not in ("0",):
                raise RuntimeError("fallocate of another kind: " + args[1])
            d.truncate(when, path, max(len(d.entries[path].data), int(args[2]) + int(args[3])))
        elif name == "mmap":
            if "PROT_WRITE" in args[2] and "MAP_SHARED" in args[3]:
                raise RuntimeError("a shared writable map of " + path)
        elif name == "ioctl":
            if "FICLONE" in args[1]:
                raise RuntimeError("a clone into " + path)
        else:
            positioned = name in ("pwrite64", "pwritev", "pwritev2") or (
                name in ("copy_file_range", "splice") and args[3] != "NULL")
            if positioned:
                offset = int(args[3].strip("[]").split()[0], 0)
            else:
                offset = len(d.entries[path].data) if self.offsets.get(key) == "end" else self.offsets[key]
            data = self.data(name, args, result)
            if data:
                d.write(when, path, offset, data)
            if not positioned and self.offsets.get(key) != "end":
                self.offsets[key] = offset + result

    def data(self, name, args, result):
        if name in ("write", "pwrite64"):
            return self.string(args[1])[:result]
        if name in ("writev", "pwritev", "pwritev2"):
            parts = re.findall(r'iov_base="((?:\\x[0-9a-f]{2})*)"', args[1])
            return b"".join(unhex(p) for p in parts)[:result]
        number, path = self.descriptor(args[0 if name != "sendfile" else 1])
        offset = args[2] if name == "sendfile" else args[1]
        # All that was seen copies a file from its beginning to its end; the comparison with the disk says so if not.
        start = 0 if offset == "NULL" else int(re.findall(r"\d+", offset)[0])
        source = self.directory.entries[path].data if self.directory.has(path) else read(path).data
        return bytes(source[start:start + result])
