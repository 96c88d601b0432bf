/** Small files of this package, readable by their owner only. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';

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

/** Replace a file in one step. @throws what the file system throws. */
export function replaceFile(file: string, content: string | Uint8Array): void {
  writeFileSync(`${file}.new`, content, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
