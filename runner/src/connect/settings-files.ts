/**
 * Reads and replaces settings files of agents. Before `connect` changes a file, it saves the original and the new text:
 * `disconnect` restores the original if nothing else changed the file.
 */
import { createHash, randomUUID } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readJson, replaceFile } from '../private-files';
import { addCodexTables, codexBackups, removeCodexTables } from './codex-tables';
import {
  addEntries,
  addMcpServer,
  type Entries,
  removeEntries,
  SettingsProblem,
  variableInEntries,
} from './edit-settings';
import type { McpServer } from './mcp-server';
import { findRefusal, type SettingsRules } from './settings-rules';

export interface Change {
  file: string;
  /** Null: the file does not exist. */
  before: string | null;
  /** Null: the file is removed. */
  after: string | null;
  /** Whether the review hides the text of the file. */
  isSecret?: boolean;
  /** @throws SettingsProblem if the file changed since it was read; what the file system throws */
  apply(): void;
}

/** The agent of a settings file. */
export interface FileOwner {
  name: string;
  label: string;
  rules?: SettingsRules;
}

/** @param backups folder of the original texts. @returns no change if the agent is connected already. @throws SettingsProblem */
export function planConnect(file: string, entries: Entries, backups: string, owner: FileOwner): Change[] {
  return plan(file, backups, (original) => addEntries(original ?? '', entries), owner);
}

/** @param file with the MCP servers of an agent, in JSON. @throws SettingsProblem */
export function planMcp(file: string, server: McpServer, backups: string, owner: FileOwner): Change[] {
  return plan(file, backups, (original) => addMcpServer(original ?? '', server), owner);
}

/** @param file Codex's `config.toml`. @throws SettingsProblem */
export function planCodex(
  file: string,
  tables: Parameters<typeof addCodexTables>[1],
  backups: string,
  owner: FileOwner,
): Change[] {
  const isEmpty = tables.endpoint === null && tables.mcp === null;
  const edit = (original: string | null) =>
    isEmpty ? original : addCodexTables(original ?? '', tables, backups);
  return plan(file, backups, edit, owner);
}

/** @throws SettingsProblem */
export function planDisconnect(file: string, backups: string): Change[] {
  return plan(file, backups, (original) => original);
}

/** Files that `connect` changed for an agent, in any folder that its variable named. */
export function connectedFiles(name: string, backups: string): string[] {
  const saved = existsSync(backups) ? readdirSync(backups).filter((each) => each.endsWith('.json')) : [];
  return saved.flatMap((each) => {
    const { file, agent } = Object(readJson(join(backups, each))) as { file?: string; agent?: string };
    return file !== undefined && agent === name ? [file] : [];
  });
}

/** Why an agent does not read a text of its settings; null if it does. A blank text has nothing to read. */
export function refusalOf(text: string | null, { label, rules }: FileOwner): string | null {
  const refusal = rules && text?.trim() ? findRefusal(text, rules) : null;
  return refusal && `${label} does not read it, because ${refusal}`;
}

const isToml = (file: string) => file.endsWith('.toml');

/** @param owner absent: the entries are removed. */
function plan(
  file: string,
  backups: string,
  edit: (original: string | null) => string | null,
  owner?: FileOwner,
): Change[] {
  const name = `${fingerprint(file)}.json`;
  const backup = join(backups, name);
  try {
    const before = readSettingsFile(file);
    const refusal = owner === undefined || isToml(file) ? null : refusalOf(before, owner);
    if (refusal !== null) throw new SettingsProblem(refusal);
    const named = isToml(file) ? codexBackups(before ?? '') : backupsNamedIn(before);
    const formerBackup = join(named ?? backups, name);
    const remove = isToml(file) ? removeCodexTables : removeEntries;
    const original = findOriginal(before, formerBackup, remove);
    const after = edit(original);
    const save = () => {
      const isRestored = after === null || after === original;
      if (isRestored || formerBackup !== backup) rmSync(formerBackup, { force: true });
      if (isRestored) return;
      mkdirSync(backups, { recursive: true, mode: 0o700 });
      replaceFile(backup, JSON.stringify({ file, agent: owner?.name, written: after, original }));
    };
    return planFile(file, after, { save }, before);
  } catch (error) {
    throw named(file, error);
  }
}

const named = (file: string, error: unknown) =>
  error instanceof SettingsProblem
    ? new SettingsProblem(`${file} was not changed: ${error.message}.`)
    : error;

/** As `readSettingsFile`, for a file that is about to be changed, which the message names. @throws SettingsProblem */
export function readBefore(file: string): string | null {
  try {
    return readSettingsFile(file);
  } catch (error) {
    throw named(file, error);
  }
}

/** The folder of original texts that Barograph's entries state; null: none states a folder. @throws SettingsProblem */
function backupsNamedIn(text: string | null): string | null {
  const folder = variableInEntries(text ?? '', 'BAROGRAPH_CONFIG_DIR');
  return folder && backupsIn(folder);
}

export const backupsIn = (configFolder: string) => join(configFolder, 'connect');

/** Plan the file of a token. Each token has its own file, because agents may report to several servers. */
export function planToken(token: string, folder: string) {
  const file = join(folder, `${fingerprint(token)}.token`);
  const save = () => mkdirSync(folder, { recursive: true, mode: 0o700 });
  return { file, changes: planSecret(file, token, { save }) };
}

export function planTokenRemoval(folder: string): Change[] {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.token')) : [];
  return names.flatMap((name) => planSecret(join(folder, name), null, {}));
}

const planSecret = (...args: Parameters<typeof planFile>) =>
  planFile(...args).map((change) => ({ ...change, isSecret: true }));

const fingerprint = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);

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
    try {
      steps.save?.();
      check();
      if (after === null) rmSync(file);
      else replaceSettingsFile(file, after, check);
    } catch (error) {
      const reason = describeAccess(error);
      if (reason === null) throw error;
      const { path = file } = error as NodeJS.ErrnoException;
      // The path may be that of a temporary file.
      const place = `the folder ${dirname(path)} cannot be written`;
      throw new SettingsProblem(`${file} was not changed: ${place}, because ${reason}.`);
    }
    steps.finish?.();
  };
  return after === before ? [] : [{ file, before, after, apply }];
}

/** The settings without Barograph's entries; null: the file does not exist. */
function findOriginal(current: string | null, backup: string, remove: typeof removeEntries): string | null {
  if (current === null) return null;
  const { written, original } = Object(readJson(backup)) as { written?: string; original?: string | null };
  return written === current && original !== undefined ? original : remove(current, original ?? null);
}

const NO_RIGHT = 'this account has no right to it';
const ACCESS: Readonly<Record<string, string>> = {
  EACCES: NO_RIGHT,
  EPERM: NO_RIGHT,
  EEXIST: 'a part of its path is a file, not a folder',
  EISDIR: 'it is a folder',
  ELOOP: 'its links lead in a circle',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EROFS: 'its file system is read-only',
};

/** Why a file cannot be read or written; null: not an error of the file system. */
function describeAccess(error: unknown): string | null {
  const { code, syscall, message } = Object(error) as NodeJS.ErrnoException;
  return syscall === undefined ? null : (ACCESS[code ?? ''] ?? message);
}

/** Text of a file; null if it does not exist. @throws SettingsProblem */
export function readSettingsFile(file: string): string | null {
  let bytes: Buffer;
  try {
    if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return null;
    bytes = readFileSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const isDangling = code === 'ENOENT' && lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink();
    if (isDangling) throw new SettingsProblem(`it links to ${readlinkSync(file)}, which does not exist`);
    const reason = describeAccess(error);
    if (reason === null) throw error;
    throw new SettingsProblem(`it cannot be read, because ${reason}`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new SettingsProblem('it is not UTF-8 text');
  }
}

/** Replaces a file, or the target of a symbolic link, in one step. Rights and owner stay. @throws what the file system throws. */
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
