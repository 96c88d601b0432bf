/** JSON values on one line: a process that resumes on a file without a final line feed glues two together. */
import type { TranscriptItem } from './agent-format';
import { asFields, type Fields } from './fields';

export interface SplitLine {
  values: unknown[];
  /** Whether a remainder did not decode; the values before it are kept. */
  undecodable: boolean;
}

export function splitValues(line: string): SplitLine {
  const text = line.trim();
  if (text === '') return { values: [], undecodable: false };
  try {
    return { values: [JSON.parse(text)], undecodable: false };
  } catch {
    return splitGlued(text);
  }
}

export function fieldsOn(line: string): Fields[] {
  return splitValues(line)
    .values.map(asFields)
    .filter((fields) => fields !== null);
}

function splitGlued(text: string): SplitLine {
  const values: unknown[] = [];
  let from = 0;
  while (from < text.length) {
    const end = endOfValue(text, from);
    if (end === null) return { values, undecodable: true };
    try {
      values.push(JSON.parse(text.slice(from, end)));
    } catch {
      return { values, undecodable: true };
    }
    from = end;
    while (from < text.length && /\s/.test(text.charAt(from))) from += 1;
  }
  return { values, undecodable: false };
}

/** Index after the object or array that begins at `from`; null when it does not close or is neither. */
function endOfValue(text: string, from: number): number | null {
  const first = text[from];
  if (first !== '{' && first !== '[') return null;
  let depth = 0;
  let inString = false;
  for (let i = from; i < text.length; i += 1) {
    const c = text[i];
    if (inString) {
      if (c === '\\') i += 1;
      else if (c === '"') inString = false;
    } else if (c === '"') inString = true;
    else if (c === '{' || c === '[') depth += 1;
    else if (c === '}' || c === ']') {
      depth -= 1;
      if (depth === 0) return i + 1;
    }
  }
  return null;
}

const MAX_REMARKS = 20;

export interface LineReader {
  line(text: string): TranscriptItem[];
  remark(reason: string): void;
  readonly counts: { lines: number; glued: number; undecodable: number };
  readonly remarks: readonly { line: number; reason: string }[];
}

/** Feed each object of each line to `read`, and count the lines that are not one JSON value. */
export function createLineReader(read: (line: Fields) => TranscriptItem[]): LineReader {
  const counts = { lines: 0, glued: 0, undecodable: 0 };
  const remarks: { line: number; reason: string }[] = [];
  const remark = (reason: string) => {
    if (remarks.length < MAX_REMARKS) remarks.push({ line: counts.lines, reason });
  };
  return {
    line(text) {
      if (text.trim() === '') return [];
      counts.lines += 1;
      const { values, undecodable } = splitValues(text);
      if (values.length > 1) counts.glued += 1;
      if (undecodable) {
        counts.undecodable += 1;
        remark('the rest of the line is not JSON; skipped');
      }
      return values.flatMap((value) => {
        const line = asFields(value);
        return line === null ? [] : read(line);
      });
    },
    remark,
    counts,
    remarks,
  };
}
