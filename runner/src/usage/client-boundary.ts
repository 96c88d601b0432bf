import { readBoundary } from '../../../core/agents/claude-code/boundary';
import { asFields } from '../../../core/agents/fields';
import type { FieldsOf } from '../client/client-types';
import { statedOf } from './read-field';
import type { UsageSession } from './usage-session';

type CompactionFacts = Pick<FieldsOf<'compaction'>, 'trigger' | 'preTokens' | 'postTokens' | 'durationMs'>;

/**
 * A boundary that the client made by itself. A compaction has its `trigger` (`auto` or `manual`) and, if known,
 * `preTokens`, `postTokens`, `durationMs` and the client's `id` of the compaction. The event shows these values; no sum
 * includes them.
 */
export type ClientBoundary =
  | ({ kind: 'compaction'; id?: string | undefined } & CompactionFacts)
  | { kind: 'clear' };

/** The boundary that a message of the Claude Agent SDK states for the main loop; null: any other message. */
export function readClientBoundary(message: unknown): ClientBoundary | null {
  const fields = asFields(message);
  if (fields === null || (fields.parent_tool_use_id ?? null) !== null) return null;
  if (fields.type === 'conversation_reset') return { kind: 'clear' };
  const boundary = readBoundary(fields);
  if (boundary === null) return null;
  const { id, trigger, preTokens, postTokens, durationMs } = boundary;
  const stated = statedOf({ id, preTokens, postTokens, durationMs });
  return { kind: 'compaction', trigger: trigger ?? 'auto', ...stated };
}

/** Report a boundary. Its id lets the server join it with the boundary in the transcript. */
export function reportBoundary(session: UsageSession, boundary: ClientBoundary): unknown {
  if (boundary.kind === 'clear') return session.clear?.({});
  const { kind: _, id, ...compaction } = boundary;
  return session.compaction?.({ ...compaction, state: 'confirmed', boundary: id });
}
