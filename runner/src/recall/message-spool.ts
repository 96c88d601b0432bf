/**
 * Messages of operators (`say`) that wait for the next hook of a session. `barograph watch` writes a file per command,
 * and the hook renames it before it answers, so a message is delivered at most once. `watch` reads the new name as the
 * result. Loaded by every hook, so it imports little.
 */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { asFields } from '../../../core/agents/fields';
import { readJson, replaceFile } from '../private-files';

/** State of a message: the extension of its file. */
const RESULTS = ['done', 'refused'] as const;
type Result = (typeof RESULTS)[number];
const WAITING = 'json';
/** A result is kept until the server cannot repeat the command. */
const KEPT_MS = 24 * 60 * 60 * 1000;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const folderOf = (configFolder: string) => join(configFolder, 'messages');

/** The folder of a session; null: not an id of Claude Code. */
const sessionFolder = (configFolder: string, sessionId: unknown) =>
  typeof sessionId === 'string' && ID.test(sessionId) ? join(folderOf(configFolder), sessionId) : null;

interface Message {
  id: string;
  text: string;
  /** Milliseconds. */
  expiresAt: number;
}

/** Write a message for the session, unless it was written before. @returns whether the session can get messages. @throws what the file system throws */
export function spoolMessage(configFolder: string, sessionId: string, { id, ...message }: Message): boolean {
  const folder = sessionFolder(configFolder, sessionId);
  if (folder === null || !ID.test(id)) return false;
  if (messageResult(configFolder, sessionId, id) !== null) return true;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${id}.${WAITING}`);
  if (!existsSync(file)) replaceFile(file, JSON.stringify(message));
  return true;
}

/** Null: it still waits, or there is no such message. */
export function messageResult(configFolder: string, sessionId: string, id: string): Result | null {
  const folder = sessionFolder(configFolder, sessionId);
  return RESULTS.find((result) => folder !== null && existsSync(join(folder, `${id}.${result}`))) ?? null;
}

export const hasMessages = (configFolder: string, sessionId: unknown): boolean => {
  const folder = sessionFolder(configFolder, sessionId);
  return folder !== null && existsSync(folder);
};

/** Take the waiting messages of a session, the oldest first. `isAllowed` false: they are refused. @throws what the file system throws */
export function takeMessages(
  configFolder: string,
  sessionId: string,
  { isAllowed, now }: { isAllowed: boolean; now: number },
): string[] {
  const folder = sessionFolder(configFolder, sessionId);
  if (folder === null) return [];
  const waiting = readdirSync(folder)
    .filter((name) => name.endsWith(`.${WAITING}`))
    .map((name) => ({ file: join(folder, name), at: statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => a.at - b.at);
  return waiting.flatMap(({ file }) => {
    const { text, expiresAt } = asFields(readJson(file)) ?? {};
    const isCurrent = typeof text === 'string' && Number(expiresAt) > now;
    if (!isCurrent) rmSync(file, { force: true });
    const isTaken = isCurrent && take(file, isAllowed ? 'done' : 'refused');
    return isTaken && isAllowed ? [text] : [];
  });
}

/** Of several hooks that run at once, one takes the message. */
function take(file: string, result: Result): boolean {
  try {
    renameSync(file, file.replace(/json$/, result));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/** Remove old files. @throws what the file system throws */
export function removeOldMessages(configFolder: string, now: number): void {
  const folder = folderOf(configFolder);
  for (const session of existsSync(folder) ? readdirSync(folder) : []) {
    const files = readdirSync(join(folder, session)).map((name) => join(folder, session, name));
    const old = files.filter((file) => now - statSync(file).mtimeMs > KEPT_MS);
    for (const file of old) rmSync(file, { force: true });
    if (old.length === files.length) rmSync(join(folder, session), { recursive: true, force: true });
  }
}
