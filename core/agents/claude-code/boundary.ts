/** Separate, so that the library's restart loop does not load the transcript readers. */
import type { Boundary } from '../entry';
import { asCount, asFields, asList, asTime, cleanText, type Fields } from '../fields';

/** Ignores `microcompact_boundary`, which only clears old tool results, and the running total of dropped tokens. */
export function readBoundary(line: Fields): Boundary | null {
  if (line.type !== 'system' || line.subtype !== 'compact_boundary') return null;
  // Files use camel case, the stream of the Agent SDK snake case.
  const metadata = asFields(line.compactMetadata) ?? asFields(line.compact_metadata);
  const kept = asFields(metadata?.preservedMessages);
  const ids = [...asList(kept?.uuids), ...asList(kept?.allUuids)];
  const trigger = metadata?.trigger;
  return {
    id: cleanText(line.uuid),
    trigger: trigger === 'manual' || trigger === 'auto' ? trigger : null,
    at: asTime(line.timestamp),
    preTokens: asCount(metadata?.preTokens ?? metadata?.pre_tokens),
    postTokens: asCount(metadata?.postTokens ?? metadata?.post_tokens),
    durationMs: asCount(metadata?.durationMs ?? metadata?.duration_ms),
    keptIds: [...new Set(ids.filter((id) => typeof id === 'string'))],
    keptTexts: [],
    summary: null,
  };
}
