/**
 * The file that is being appended to. It owns the open file and the next one, opened ahead of time so that
 * the caller of `write` need not wait for it. A write is one system call: after it the item survives the
 * process; `sync` makes it survive the machine.
 */
import { closeSync, fdatasync, fdatasyncSync, open, openSync, writeSync } from 'node:fs';
import { segmentFile } from './queue-folder';

export class SegmentWriter {
  private fd: number | null = null;
  /** The next segment's file; -1 while it is being opened. */
  private spare: { id: number; fd: number } | null = null;
  private current = 0;
  private unsynced = false;
  private closed = false;

  constructor(
    /** Null: nothing is written, items live in memory alone. */
    private readonly folder: string | null,
    private readonly onSyncFailed: (error: Error) => void,
  ) {}

  /** Begins a segment's file, and ends the one before. @throws what the file system throws. */
  begin(id: number): void {
    this.end();
    this.current = id;
    if (this.folder === null) return;
    const spare = this.spare;
    if (spare?.id === id) this.spare = null;
    this.fd =
      spare?.id === id && spare.fd !== -1 ? spare.fd : openSync(segmentFile(this.folder, id), 'a', 0o600);
  }

  /** @returns whether it went to a file. @throws what the file system throws; nothing more goes to this file then. */
  write(bytes: Buffer): boolean {
    if (this.fd === null) return false;
    if (writeSync(this.fd, bytes) !== bytes.length) throw new Error('The disk took a part of an item only.');
    this.unsynced = true;
    return true;
  }

  /** Opens the file of the segment after this one. */
  prepareNext(): void {
    if (this.folder === null || this.spare) return;
    const id = this.current + 1;
    this.spare = { id, fd: -1 };
    open(segmentFile(this.folder, id), 'a', 0o600, (error, fd) => {
      const wanted = !this.closed && this.spare?.id === id;
      if (!error && wanted) this.spare = { id, fd };
      else if (!error) closeSync(fd);
      if (error && wanted) this.spare = null;
    });
  }

  sync(): void {
    if (this.fd === null || !this.unsynced) return;
    this.unsynced = false;
    fdatasync(this.fd, (error) => {
      if (error && !this.closed) this.onSyncFailed(error);
    });
  }

  /** Gives the file up after a failed write: what follows in it could not be read back. */
  abandon(): void {
    if (this.fd !== null) closeSync(this.fd);
    this.fd = null;
  }

  close(): void {
    this.closed = true;
    if (this.spare && this.spare.fd !== -1) closeSync(this.spare.fd);
    if (this.fd === null) return;
    try {
      fdatasyncSync(this.fd);
    } catch {
      // The items are with the operating system all the same.
    }
    closeSync(this.fd);
    this.fd = null;
  }

  private end(): void {
    if (this.fd === null) return;
    const fd = this.fd;
    this.fd = null;
    fdatasync(fd, () => closeSync(fd));
  }
}
