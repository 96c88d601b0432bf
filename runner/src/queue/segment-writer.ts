/** The file being appended to. A write is one system call: after it an item survives the process; `sync` adds the machine. */
import { closeSync, fdatasync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import { segmentFile } from './queue-folder';

export class SegmentWriter {
  private fd: number | null = null;
  private unsynced = false;
  private closed = false;

  constructor(
    /** Null: nothing is written, items are in memory only. */
    private readonly folder: string | null,
    private readonly onSyncFailed: (error: Error) => void,
  ) {}

  /** Begin a segment's file, and end the previous one. @throws what the file system throws. */
  begin(id: number): void {
    const before = this.fd;
    this.fd = null;
    if (before !== null) fdatasync(before, () => closeSync(before));
    if (this.folder !== null) this.fd = openSync(segmentFile(this.folder, id), 'a', 0o600);
  }

  /** @throws what the file system throws; call `abandon` then. */
  write(bytes: Buffer): void {
    if (this.fd === null) return;
    if (writeSync(this.fd, bytes) !== bytes.length)
      throw new Error('The disk accepted only a part of an item.');
    this.unsynced = true;
  }

  sync(): void {
    if (this.fd === null || !this.unsynced) return;
    this.unsynced = false;
    fdatasync(this.fd, (error) => {
      if (error && !this.closed) this.onSyncFailed(error);
    });
  }

  /** Close the file after a failed write: later items in it could not be read back. */
  abandon(): void {
    if (this.fd !== null) closeSync(this.fd);
    this.fd = null;
  }

  close(): void {
    this.closed = true;
    if (this.fd === null) return;
    try {
      fdatasyncSync(this.fd);
    } catch {
      // The operating system has the items.
    }
    closeSync(this.fd);
    this.fd = null;
  }
}
