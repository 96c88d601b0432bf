/**
 * Reads and replaces settings files of agents. Before `connect` changes a file, it saves the original and the new text:
 * `disconnect` restores the original if nothing else changed the file.
 */
import { createHash, randomUUID } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readJson, replaceFile } from '../private-files';
import { addEntries, type Entries, removeEntries, SettingsProblem } from './edit-settings';

export interface Change {
  file: string;
  /** Null: the file does not exist. */
  before: string | null;
  /** Null: the file is removed. */
  after: string | null;
  /** @throws SettingsProblem if the file changed since it was read; what the file system throws */
  apply(): void;
}

/** @param backups folder of the original texts. @returns no change if the agent is connected already. @throws SettingsProblem */
export function planConnect(file: string, entries: Entries, backups: string): Change[] {
  return plan(file, backups, (original) => addEntries(original ?? '', entries));
}

/** @throws SettingsProblem */
export function planDisconnect(file: string, backups: string): Change[] {
  return plan(file, backups, (original) => original);
}

function plan(file: string, backups: string, edit: (original: string | null) => string | null): Change[] {
  const backup = join(backups, `${createHash('sha256').update(file).digest('hex').slice(0, 16)}.json`);
  try {
    const before = readSettingsFile(file);
    const original = findOriginal(before, backup);
    const after = edit(original);
    const save = () => {
      mkdirSync(backups, { recursive: true, mode: 0o700 });
      if (after === null || after === original) rmSync(backup, { force: true });
      else replaceFile(backup, JSON.stringify({ file, written: after, original }));
    };
    return planFile(file, after, { save }, before);
  } catch (error) {
    if (!(error instanceof SettingsProblem)) throw error;
    throw new SettingsProblem(`${file} was not changed: ${error.message}.`);
  }
}

/** @param steps called before and after the file is written. @throws SettingsProblem */
export function planFile(
  file: string,
  after: string | null,
  steps: { save?(): void; finish?(): void },
  before = readSettingsFile(file),
): Change[] {
  const check = () => {
    if (readSettingsFile(file) !== before) throw new SettingsProblem(`${file} changed meanwhile. Try again.`);
  };
  const apply = () => {
    check();
    steps.save?.();
    check();
    if (after === null) rmSync(file);
    else replaceSettingsFile(file, after, check);
    steps.finish?.();
  };
  return after === before ? [] : [{ file, before, after, apply }];
}

/** The settings without Barograph's entries; null: the file does not exist. */
function findOriginal(current: string | null, backup: string): string | null {
  if (current === null) return null;
  const { written, original } = Object(readJson(backup)) as { written?: string; original?: string | null };
  return written === current && original !== undefined ? original : removeEntries(current, original ?? null);
}

/** Text of a file; null if it does not exist. @throws SettingsProblem */
export function readSettingsFile(file: string): string | null {
  let bytes: Buffer;
  try {
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return null;
    bytes = readFileSync(file);
  } catch (error) {
    throw new SettingsProblem(error instanceof Error ? error.message : String(error));
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new SettingsProblem('it is not UTF-8 text');
  }
}

/** Replaces a file in one step. A link, the rights and the owner stay. @throws what the file system throws. */
function replaceSettingsFile(file: string, text: string, check: () => void): void {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) mkdirSync(dirname(file), { recursive: true });
  const target = stats === undefined ? file : realpathSync(file);
  const fresh = join(dirname(target), `.${basename(target)}.${randomUUID()}`);
  try {
    writeFileSync(fresh, text, { mode: 0o600, flush: true, flag: 'wx' });
    const { uid, gid } = statSync(fresh);
    if (stats !== undefined && (stats.uid !== uid || stats.gid !== gid))
      chownSync(fresh, stats.uid, stats.gid);
    if (stats !== undefined) chmodSync(fresh, stats.mode & 0o7777);
    // Writing takes time, in which the agent may have changed its settings.
    check();
    renameSync(fresh, target);
  } catch (error) {
    rmSync(fresh, { force: true });
    throw error;
  }
}
