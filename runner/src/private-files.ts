/** Small files of this package, readable by their owner only. */
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The text of a file; empty if the file cannot be read. */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** The value in a JSON file; null if the file cannot be read or is not JSON. */
export function readJson(file: string): unknown {
  try {
    return JSON.parse(readText(file));
  } catch {
    return null;
  }
}

/** Replace a file in one step. @param synced survives a power failure. @throws what the file system throws. */
export function replaceFile(file: string, content: string | Uint8Array, synced = false): void {
  writeFileSync(`${file}.new`, content, { mode: 0o600 });
  if (synced) syncPath(`${file}.new`, 'r+');
  renameSync(`${file}.new`, file);
  if (synced) syncFolder(path.dirname(file));
}

/** Sync the names in a folder. Windows syncs no folders. */
export function syncFolder(folder: string): void {
  try {
    syncPath(folder, 'r');
  } catch {
    // The file system decides when it writes the names.
  }
}

function syncPath(file: string, flags: string): void {
  const fd = openSync(file, flags);
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
