export interface TarFile {
  name: string;
  content: Buffer;
}

const BLOCK = 512;

/** The plain files of a tar archive; folders, links and extended headers are left out. */
export function readTar(archive: Buffer): TarFile[] {
  const files: TarFile[] = [];
  let offset = 0;
  while (offset + BLOCK <= archive.length) {
    const name = readField(archive, offset, 100);
    if (name === '') break;
    const size = Number.parseInt(readField(archive, offset + 124, 12).trim(), 8);
    const type = archive[offset + 156];
    const start = offset + BLOCK;
    if (type === 0 || type === 0x30) files.push({ name, content: archive.subarray(start, start + size) });
    offset = start + Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}

/** Text up to the first NUL. */
function readField(archive: Buffer, start: number, length: number): string {
  const field = archive.subarray(start, start + length);
  const end = field.indexOf(0);
  return field.toString('latin1', 0, end === -1 ? length : end);
}
