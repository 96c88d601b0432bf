/** All transcript formats. Lookups try the formats in order, the more specific format first. */
import type { AgentFormat, LineSigns, TranscriptIdentity } from './agent-format';
import { claudeCode } from './claude-code';
import type { TranscriptFormat } from './clients';
import { codex } from './codex';
import { type Fields, UUID } from './fields';
import { gemini } from './gemini';
import { fieldsOn } from './lines';
import { opencode } from './opencode';

type Format = AgentFormat<Exclude<TranscriptFormat, 'text'>>;

export const FORMATS: readonly Format[] = [codex, gemini, opencode, claudeCode];

export function formatNamed(name: TranscriptFormat): Format | undefined {
  return FORMATS.find((format) => format.name === name);
}

export function formatOfLine(line: Fields): TranscriptFormat | null {
  return FORMATS.find((format) => format.isLine(line))?.name ?? null;
}

/** Format of a file without a recognisable line. */
export function formatOfName(path: string): TranscriptFormat {
  return FORMATS.find((format) => format.acceptsPath(path))?.name ?? 'text';
}

export function isTranscriptPath(path: string): boolean {
  return FORMATS.some((format) => format.acceptsPath(path));
}

/** The format of a database, or of a session in it; undefined for other paths. */
export function databaseFormatOf(path: string): Format | undefined {
  return FORMATS.find((format) => format.database !== undefined && format.acceptsPath(path));
}

export interface Identified {
  format: Format;
  identity: TranscriptIdentity;
}

/** Null: the start of the file has no known format. */
export function identify(path: string, head: string): Identified | null {
  if (!isTranscriptPath(path)) return null;
  for (const format of FORMATS) {
    const identity = format.identify(path, head);
    if (identity !== null) return { format, identity };
  }
  return null;
}

export function sessionKeyOf(path: string, id: string | null = null): string | null {
  const format = FORMATS.find((candidate) => candidate.acceptsPath(path));
  return format?.sessionKeyOf(path, id) ?? null;
}

/** The client named in a session key; null: the key names none. */
export function clientOfKey(session: string): string | null {
  return FORMATS.find(({ name }) => session.startsWith(`${name}:`))?.name ?? null;
}

/** The client and its own id of the session, if the key holds them as `<client>:<id>`. */
export function ownIdOf(session: string | null): { client: string; id: string } | null {
  const client = session === null ? null : clientOfKey(session);
  if (session === null || client === null) return null;
  const id = session.slice(client.length + 1);
  return UUID.test(id) ? { client, id } : null;
}

export function mainFilesOf(folder: string): string[] {
  return FORMATS.flatMap(({ mainFileOf }) => mainFileOf?.(folder) ?? []);
}

/** The texts by which lines with a sign are found: each such line contains one of these texts. */
export function marksOf(sign: keyof LineSigns): string[] {
  return FORMATS.flatMap((format) => format.signs[sign]?.mark ?? []);
}

/** The signs of one kind in a line. A line has several only if it has several JSON values. */
export function readSigns<Name extends keyof LineSigns>(sign: Name, line: string): LineSigns[Name][] {
  const readers = FORMATS.flatMap((format) => format.signs[sign] ?? []);
  if (!readers.some(({ mark }) => line.includes(mark))) return [];
  return fieldsOn(line).flatMap((fields) => {
    for (const { read } of readers) {
      const found = read(fields);
      if (found !== null) return [found];
    }
    return [];
  });
}
