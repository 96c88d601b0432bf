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

/** @param backups folder of the original texts. @returns no change if the agent is connected already. @throws SettingsProblem */
export function planConnect(file: string, entries: Entries, backups: string): Change[] {
  return plan(file, backups, (original) => addEntries(original ?? '', entries));
}

/** @param file with the MCP servers of an agent, in JSON. @throws SettingsProblem */
export function planMcp(file: string, server: McpServer, backups: string): Change[] {
  return plan(file, backups, (original) => addMcpServer(original ?? '', server));
}

/** @param file Codex's `config.toml`. @throws SettingsProblem */
export function planCodex(
  file: string,
  tables: Parameters<typeof addCodexTables>[1],
  backups: string,
): Change[] {
  const isEmpty = tables.endpoint === null && tables.mcp === null;
  return plan(file, backups, (original) =>
    isEmpty ? original : addCodexTables(original ?? '', tables, backups),
  );
}

/** @throws SettingsProblem */
export function planDisconnect(file: string, backups: string): Change[] {
  return plan(file, backups, (original) => original);
}

const isToml = (file: string) => file.endsWith('.toml');

function plan(file: string, backups: string, edit: (original: string | null) => string | null): Change[] {
  const name = `${fingerprint(file)}.json`;
  const backup = join(backups, name);
  try {
    const before = readSettingsFile(file);
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
      replaceFile(backup, JSON.stringify({ file, written: after, original }));
    };
    return planFile(file, after, { save }, before);
  } catch (error) {
    if (!(error instanceof SettingsProblem)) throw error;
    throw new SettingsProblem(`${file} was not changed: ${error.message}.`);
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
    steps.save?.();
    check();
    if (after === null) rmSync(file);
    else replaceSettingsFile(file, after, check);
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
