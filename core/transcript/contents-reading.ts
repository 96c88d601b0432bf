/**
 * Reads a stored transcript for screens and search in two passes. The first pass finds the secrets and the format. The
 * second pass reads the entries with masked secrets.
 *
 * Segment borders depend only on earlier content, so archives of a growing transcript share their first segments.
 */
import type { TranscriptFormat } from '../agents/clients';
import { formatNamed, formatOfName } from '../agents/registry';
import { maskBytes } from '../secrets/mask-bytes';
import { maskText } from '../secrets/mask-text';
import type { NumberedSecret } from '../secrets/secret-rule';
import { createSecretScanner } from '../secrets/secret-scanner';
import type { Loss } from './losses';
import type { Outline } from './outline';
import { decodeBytes, fieldsOf, formatOfEntry } from './read-entry';
import { searchPieces } from './search-pieces';
import { createDocumentSplitter } from './split-document';
import { createEntrySplitter, cutGluedValues, type EntryBytes } from './split-entries';
import { createTranscriptReader } from './transcript-reader';
import { addWords } from './words';

export interface SearchPiece {
  /** Entry and line, relative to the segment's first. */
  entry: number;
  line: number;
  /** Offset in the entry's text. */
  at: number;
  text: string;
}

export interface Segment {
  firstEntry: number;
  firstLine: number;
  terms: string[];
  pieces: SearchPiece[];
}

/** A secret, or the part of a secret in one entry. */
export interface PlacedSecret extends NumberedSecret {
  entry: number;
  line: number;
}

export interface Contents {
  format: TranscriptFormat;
  outline: Outline;
  losses: Loss[];
  secrets: PlacedSecret[];
}

const SEGMENT_CHARACTERS = 64_000;
const SEGMENT_ENTRIES = 2_000;
const FORMAT_LINES = 200;

/**
 * @param summary of the last compaction, if the file ends with the compaction's line or before it. Null: unknown
 * @param isCompacted whether a compaction follows the file, of which the client has not written the line yet
 */
export function createContentsReading(fileName: string, summary: string | null = null, isCompacted = false) {
  const scanner = createSecretScanner();
  const head = createEntrySplitter();
  let looked = 0;
  let format: TranscriptFormat | null = null;
  let pass: EntryPass | null = null;

  const lookAt = (lines: readonly EntryBytes[]): void => {
    for (const line of lines) {
      if (format !== null || looked >= FORMAT_LINES) return;
      looked += 1;
      format = formatOfEntry(line);
    }
  };
  const secondPass = async (): Promise<EntryPass> => {
    if (pass !== null) return pass;
    lookAt(head.end());
    const secrets = (await scanner.end()).map((found, secret) => ({ ...found, secret }));
    const followed = summary === null ? null : await maskText(summary);
    pass = createEntryPass(fileName, format ?? formatOfName(fileName), secrets, followed, isCompacted);
    return pass;
  };

  return {
    /** First pass: the bytes in order. */
    async scan(chunk: Uint8Array): Promise<void> {
      if (format === null && looked < FORMAT_LINES) lookAt(head.push(chunk));
      await scanner.push(chunk);
    },
    /** Second pass over the same bytes; returns completed segments. */
    read: async (chunk: Uint8Array) => (await secondPass()).read(chunk),
    finish: async () => (await secondPass()).finish(),
  };
}

type EntryPass = ReturnType<typeof createEntryPass>;

function createEntryPass(
  fileName: string,
  format: TranscriptFormat,
  secrets: readonly NumberedSecret[],
  followed: string | null,
  isCompacted: boolean,
) {
  const isDocument = formatNamed(format)?.readsAs(fileName) === 'document';
  const splitter = isDocument
    ? createDocumentSplitter()
    : createEntrySplitter(format === 'text' ? undefined : cutGluedValues);
  const reader = createTranscriptReader(format);
  const placed: PlacedSecret[] = [];
  let nextSecret = 0;
  let segment = emptySegment(0, 0);
  let terms = new Set<string>();
  let characters = 0;

  const take = (part: EntryBytes): Segment[] => {
    const own: NumberedSecret[] = [];
    while ((secrets[nextSecret]?.to ?? Number.POSITIVE_INFINITY) <= part.from) nextSecret += 1;
    for (let i = nextSecret; (secrets[i]?.from ?? Number.POSITIVE_INFINITY) < part.to; i += 1) {
      const secret = secrets[i];
      if (secret) own.push(secret);
    }
    const bytes = part.bytes === null ? null : maskEntry(part.bytes, part.from, own, format);
    const { index, entry } = reader.take({ ...part, bytes });
    for (const { secret, rule, from, to } of own) {
      const place = { from: Math.max(from, part.from), to: Math.min(to, part.to) };
      placed.push({ secret, rule, ...place, entry: index, line: part.line });
    }
    const full: Segment[] = [];
    for (const { at, text } of searchPieces(entry, () => (bytes === null ? '' : decodeBytes(bytes)))) {
      segment.pieces.push({
        entry: index - segment.firstEntry,
        line: part.line - segment.firstLine,
        at,
        text,
      });
      addWords(text, terms);
      characters += text.length;
      // The rest of a long entry starts a new segment at the same entry.
      if (characters >= SEGMENT_CHARACTERS) full.push(...closeSegment(index, part.line));
    }
    if (index - segment.firstEntry + 1 < SEGMENT_ENTRIES) return full;
    return [...full, ...closeSegment(index + 1, part.line + 1)];
  };

  const closeSegment = (firstEntry: number, firstLine: number): Segment[] => {
    const full = { ...segment, terms: [...terms] };
    segment = emptySegment(firstEntry, firstLine);
    terms = new Set();
    characters = 0;
    return full.pieces.length === 0 ? [] : [full];
  };

  return {
    read: (chunk: Uint8Array): Segment[] => splitter.push(chunk).flatMap(take),
    finish(): { segments: Segment[]; contents: Contents } {
      const last = splitter.end().flatMap(take);
      const { outline, losses } = reader.finish(followed, isCompacted);
      const segments = [...last, ...closeSegment(outline.entries, outline.lines)];
      return { segments, contents: { format, outline, losses, secrets: placed } };
    },
  };
}

function emptySegment(firstEntry: number, firstLine: number): Segment {
  return { firstEntry, firstLine, terms: [], pieces: [] };
}

/** Mask the secrets of one entry. In JSON lines, only the contents of strings are masked. */
export function maskEntry(
  bytes: Uint8Array,
  from: number,
  secrets: readonly NumberedSecret[],
  format: TranscriptFormat,
): Uint8Array {
  if (secrets.length === 0) return bytes;
  const isJson = format !== 'text' && fieldsOf(bytes) !== null;
  return maskBytes(bytes, from, secrets, isJson);
}
