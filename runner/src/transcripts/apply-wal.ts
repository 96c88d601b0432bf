/** Applies a write-ahead log of SQLite to a copy of its database (https://sqlite.org/fileformat2.html#walformat). */

export const WAL_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682;

/** @returns the database as of the newest committed transaction, marked as a database without a log */
export function applyWal(main: Buffer, wal: Buffer): Buffer {
  const { pages, pageCount, pageBytes } = committedPages(wal);
  const image = Buffer.alloc(pageCount === 0 ? main.length : pageCount * pageBytes);
  main.copy(image);
  for (const [page, offset] of pages) {
    if (page <= pageCount) wal.copy(image, (page - 1) * pageBytes, offset, offset + pageBytes);
  }
  // Bytes 18 and 19 are the format versions for writing and reading: 1 means without a log, and 2 means with a log.
  image.fill(1, 18, 20);
  return image;
}

/** The offset of each page's newest committed content in the log, and the database's number of pages at that commit. */
function committedPages(wal: Buffer) {
  const pages = new Map<number, number>();
  const none = { pages, pageCount: 0, pageBytes: 0 };
  if (wal.length < WAL_HEADER_BYTES || (wal.readUInt32BE(0) & ~1) >>> 0 !== MAGIC) return none;
  const isBigEndian = (wal.readUInt32BE(0) & 1) === 1;
  const pageBytes = wal.readUInt32BE(8);
  let sums = checksum(wal, 0, 24, [0, 0], isBigEndian);
  let waiting = new Map<number, number>();
  let pageCount = 0;
  for (let at = WAL_HEADER_BYTES; at + FRAME_HEADER_BYTES + pageBytes <= wal.length; ) {
    const content = at + FRAME_HEADER_BYTES;
    // Frames of an earlier log have different salts. A partly written frame has a wrong checksum.
    if (!wal.subarray(at + 8, at + 16).equals(wal.subarray(16, 24))) break;
    sums = checksum(wal, at, at + 8, sums, isBigEndian);
    sums = checksum(wal, content, content + pageBytes, sums, isBigEndian);
    if (sums[0] !== wal.readUInt32BE(at + 16) || sums[1] !== wal.readUInt32BE(at + 20)) break;
    waiting.set(wal.readUInt32BE(at), content);
    const committed = wal.readUInt32BE(at + 4);
    if (committed > 0) {
      for (const [page, offset] of waiting) pages.set(page, offset);
      waiting = new Map();
      pageCount = committed;
    }
    at = content + pageBytes;
  }
  return { pages, pageCount, pageBytes };
}

function checksum(
  bytes: Buffer,
  from: number,
  to: number,
  [first, second]: readonly [number, number],
  isBigEndian: boolean,
): [number, number] {
  const read = (at: number) => (isBigEndian ? bytes.readUInt32BE(at) : bytes.readUInt32LE(at));
  let [a, b] = [first, second];
  for (let at = from; at < to; at += 8) {
    a = (a + read(at) + b) >>> 0;
    b = (b + read(at + 4) + a) >>> 0;
  }
  return [a, b];
}
