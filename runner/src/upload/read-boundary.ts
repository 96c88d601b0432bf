/** Recognises the line that a client writes at the end of a compaction. */
import { readCompaction } from '../adapters/claude-code/read-compaction';
import { asFields, type Fields, fieldsOf, textOf, timeOf } from '../adapters/claude-code/read-fields';
import { splitValues } from '../adapters/split-values';

export interface BoundaryLine {
  /** The client's own id of the compaction; null where it gives none. */
  id: string | null;
  /** Null where the client does not say. */
  trigger: 'auto' | 'manual' | null;
  /** Milliseconds since the epoch; null where the line has no readable time. */
  at: number | null;
}

/** One of them stands in every such line. */
export const BOUNDARY_MARKS = ['compact_boundary', '"compacted"'].map((mark) => Buffer.from(mark));

/** Null for any other line, and for one that a fork copied from the session it left. */
export function readBoundary(text: string): BoundaryLine | null {
  for (const value of splitValues(text).values) {
    const line = asFields(value);
    if (line === undefined || fieldsOf(line, 'forkedFrom') !== undefined) continue;
    const found = readClaudeCode(line) ?? readCodex(line);
    if (found !== null) return found;
  }
  return null;
}

function readClaudeCode(line: Fields): BoundaryLine | null {
  const compaction = readCompaction(line, '', 0, null);
  if (compaction === null) return null;
  return {
    id: compaction.boundary ?? null,
    trigger: compaction.trigger,
    at: timeOf(line, 'timestamp') ?? null,
  };
}

function readCodex(line: Fields): BoundaryLine | null {
  if (line.type !== 'compacted') return null;
  const payload = fieldsOf(line, 'payload');
  if (payload === undefined) return null;
  return { id: textOf(payload, 'window_id') ?? null, trigger: null, at: timeOf(line, 'timestamp') ?? null };
}
