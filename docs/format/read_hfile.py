#!/usr/bin/env python3
"""An example of a reader, written from these pages: asks the filter of an HFile about keys.

    python3 read_hfile.py FILE ROW[:QUALIFIER] ...      prints each key's hash, chunk and answer
    python3 read_hfile.py FILE PREFIX* ...              the same of the rows with a prefix
    python3 read_hfile.py FILE                          prints the intervals of its key segments

For uncompressed files with Ribbon filters, bumped or not. It believes every byte: a real reader
must check what the pages say. XXH3 of other than 0 or 4 to 8 bytes needs: pip install xxhash
"""
import struct
import sys

M = 2**64 - 1

def rotate(x, k):
    return (x << k | x >> 64 - k) & M

def xxh3(key, seed):
    if not key:
        h = seed ^ 0x8726F9105DC21DDC
        h = (h ^ h >> 33) * 0xC2B2AE3D27D4EB4F & M
        h = (h ^ h >> 29) * 0x165667B19E3779F9 & M
        return h ^ h >> 32
    if not 4 <= len(key) <= 8:
        import xxhash
        return xxhash.xxh3_64_intdigest(key, seed)
    seed ^= int.from_bytes(struct.pack("<I", seed & 2**32 - 1), "big") << 32
    secret = (0x1CAD21F72C81017C ^ 0xDB979083E96DD4DE) - seed & M
    first, last = struct.unpack("<I", key[:4])[0], struct.unpack("<I", key[-4:])[0]
    h = (last + (first << 32)) ^ secret
    h ^= rotate(h, 49) ^ rotate(h, 24)
    h = h * 0x9FB21C651E98DF25 & M
    h = (h ^ (h >> 35) + len(key)) * 0x9FB21C651E98DF25 & M
    return h ^ h >> 28

def combine(a, b):
    x = rotate(a, 32) ^ b * 0x9E3779B97F4A7C15 & M
    x = (x ^ x >> 29) * 0xBF58476D1CE4E5B9 & M
    return x ^ x >> 32

def content_of_block(file, magic):
    at = 0
    while file[at:at + 8] != magic:
        if at >= len(file) - 4096:  # the trailer
            sys.exit("the file has no block " + magic.decode())
        at += 33 + struct.unpack(">i", file[at + 8:at + 12])[0]
    return file[at + 33:at + 33 + struct.unpack(">i", file[at + 12:at + 16])[0]]

def read_meta(meta):
    """The kind of the keys, the hash's seed, the rule of prefixes, and an entry per chunk: offset,
    image size, first key, prefixes."""
    if meta[:4] != b"WIN1" or (meta[8], meta[10]) not in ((1, 1), (2, 3)):
        sys.exit("not a Winnow filter of format 1 or 2 with XXH3")
    kind, count = struct.unpack("<BI", meta[11:16])
    seed = struct.unpack("<Q", meta[64:72])[0] if meta[8] == 2 else 0
    at = (72 if meta[8] == 2 else 64) + struct.unpack("<H", meta[60:62])[0]
    rule, prefixes = None, [-1] * count  # -1: the chunk has none, and answers maybe
    if meta[62]:
        rule = meta[62], meta[63:64], struct.unpack("<I", meta[at:at + 4])[0]
        prefixes = struct.unpack("<%di" % count, meta[at + 4:at + 4 + 4 * count])
        at += 4 + 4 * count
    chunks = []
    for i in range(count):
        offset, _, size, _, _, k = struct.unpack("<QIIIII", meta[at:at + 28])
        chunks.append((offset, size, meta[at + 28:at + 28 + k], prefixes[i]))
        at += 28 + k
    return kind, seed, rule, chunks

def prefix_of(rule, row):
    """The part of a row that is its prefix; nothing if it has none."""
    if rule is None or rule[0] == 1:
        return row[:rule[2]] if rule and len(row) >= rule[2] else b""
    parts = row.split(rule[1])
    return rule[1].join(parts[:rule[2]]) + rule[1] if len(parts) > rule[2] else b""

def mix(x):
    x = (x ^ x >> 32) * 0xBF58476D1CE4E5B9 & M
    return (x ^ x >> 29) * 0x94D049BB133111EB & M

def matches(solution, columns, lower, start, row, fingerprint):
    for column in range(columns - (start // 64 < lower)):
        total = fingerprint >> column & 1
        for slot in (start + i for i in range(64) if row >> i & 1):
            word = slot // 64 * columns - min(slot // 64, lower) + column
            total ^= solution[8 * word + slot % 64 // 8] >> slot % 8 & 1
        if total:
            return False
    return True

def homogeneous(shape, solution, h):
    blocks, lower, seed, _, columns = struct.unpack("<IIIBB", shape[:14])  # width 64
    if not blocks:
        return False
    x = mix(h ^ seed * 0x9E3779B97F4A7C15 & M)
    raw = (x >> 1) * (64 * blocks - 64 + 33) >> 63
    start = min(max(raw - 16, 0), 64 * blocks - 64)
    row = (x ^ x >> 32) * 0xC28F82822B650BED & M | 1
    return matches(solution, columns, lower, start, row, 0)

def might_contain(image, h):
    if image[4] == 1:
        return homogeneous(image[40:56], image[64:], h)
    seed, layers, columns = struct.unpack("<IBB", image[40:46])
    mask, at, x = seed * 0x9E3779B97F4A7C15 & M, 64 + 8 * layers + 16, h
    for layer in range(layers):
        blocks, lower = struct.unpack("<II", image[64 + 8 * layer:72 + 8 * layer])
        starts = 64 * blocks - 63
        solution = at + 8 * (((starts + 127) // 128 + 31) // 32)
        x = mix(x ^ mask)
        start = (x >> 1) * starts >> 63
        threshold = image[at + start // 512] >> start // 128 % 4 * 2 & 3
        if start % 128 >= (128, 36, 17, 0)[threshold]:
            y = x ^ x >> 32
            f = y * 0xE7037ED1A0B428DB & M
            row = y * 0xC28F82822B650BED & M | 1
            return matches(image[solution:], columns, lower, start, row, f ^ f >> 32)
        at = solution + 8 * (blocks * columns - lower)
        mask = 0xA0761D6478BD642F
    return homogeneous(image[64 + 8 * layers:], image[at:], x)

def number(pairs, at):
    """A number of protocol buffers, and the offset behind it."""
    value = shift = 0
    while True:
        value |= (pairs[at] & 127) << shift
        shift, at = shift + 7, at + 1
        if pairs[at - 1] < 128:
            return value, at

def file_info(block):
    """The entries of the file info: pairs in one message of protocol buffers."""
    info, (size, at) = {}, number(block, 4)  # after "PBUF"
    end = at + size
    while at < end:
        pair, (size, at) = [], number(block, at + 1)
        for _ in range(2):
            size, at = number(block, at + 1)
            pair.append(block[at:at + size])
            at += size
        info[pair[0]] = pair[1]
    return info

def print_segments(file):
    entry = file_info(content_of_block(file, b"FILEINF2")).get(b"WINNOW_KEY_SEGMENT")
    if entry is None or entry[:4] != b"WSG1":
        sys.exit("the file has no key segments of version 1")
    rule, delimiter, n, length, count = struct.unpack("<BBHBB", entry[4:10])
    print(n, "bytes" if rule == 1 else "times %02x" % delimiter, "before", length)
    at, segments = 10, []
    for _ in range(2 * count):
        segments.append(entry[at + 1:at + 1 + entry[at]].hex())
        at += 1 + entry[at]
    for smallest, largest in zip(segments[::2], segments[1::2]):
        print(smallest, largest)

def main(path, *keys):
    file = open(path, "rb").read()
    if not keys:
        return print_segments(file)
    kind, seed, rule, chunks = read_meta(content_of_block(file, b"BLMFMET2"))
    for key in keys:
        row, _, qualifier = key.encode().partition(b":")
        scans = key.endswith("*")
        row = prefix_of(rule, row[:-1]) if scans else row
        h = xxh3(row, seed)
        if scans or kind == 2:
            h = combine(h, 1 if scans else xxh3(qualifier, seed))
        chunk, answer = "none", False
        for i, (offset, size, first, prefixes) in enumerate(chunks):
            end = 2 + int.from_bytes(first[:2], "little")
            if ((first[2:end], first[end:]) <= (row, qualifier)) if kind == 2 else first <= row:
                chunk, image, has_none = i, file[offset + 33:offset + 33 + size], prefixes == -1
        if chunk != "none":
            answer = scans and has_none or might_contain(image, h)
        answer = answer or scans and not row
        print(key, "%016x" % h, chunk, "maybe" if answer else "no")

if __name__ == "__main__":
    main(*sys.argv[1:]) if len(sys.argv) > 1 else sys.exit(__doc__)
