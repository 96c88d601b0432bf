import type { TranscriptItemOf } from '../format';
import { type Fields, fieldsOf, sizeOf, textOf } from './read-fields';

/**
 * The compaction a boundary line reports: it is written at the end of one, so it is confirmed. Null for
 * any other line; `microcompact_boundary` clears old tool results inside a context and ends none.
 * `preTokens` and `postTokens` are the client's own words; `cumulativeDroppedTokens` is a running total
 * of the session and says nothing about this one.
 */
export function readCompaction(
  line: Fields,
  session: string,
  at: number,
  chain: string | null,
): TranscriptItemOf<'compaction'> | null {
  if (line.type !== 'system' || line.subtype !== 'compact_boundary') return null;
  const metadata = fieldsOf(line, 'compactMetadata') ?? {};
  const boundary = textOf(line, 'uuid');
  const counts = {
    preTokens: sizeOf(metadata, 'preTokens'),
    postTokens: sizeOf(metadata, 'postTokens'),
    durationMs: sizeOf(metadata, 'durationMs'),
  };
  return {
    type: 'compaction',
    session,
    at,
    ...(chain === null ? {} : { chain }),
    trigger: metadata.trigger === 'manual' ? 'manual' : 'auto',
    state: 'confirmed',
    ...(counts.preTokens === undefined ? {} : { preTokens: counts.preTokens }),
    ...(counts.postTokens === undefined ? {} : { postTokens: counts.postTokens }),
    ...(counts.durationMs === undefined ? {} : { durationMs: counts.durationMs }),
    ...(boundary === undefined ? {} : { boundary }),
  };
}
