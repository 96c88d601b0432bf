import type { Composition, ReadingBasis, Usage } from '../../../core/protocol/items';
import { PROTOCOL_LIMITS } from '../../../core/protocol/limits';
import type { FieldsOf, Moment } from '../client/client-types';
import { type CompressionPlan, type ContextEntry, suggestCompression, sumTokens } from './compress-context';

/** What the tracker calls of a session: one of `createClient` fits, and so does anything like it. */
export interface TrackerSession {
  /** A main call, with the context's make-up. */
  turn(fields: FieldsOf<'turn'>): unknown;
  /** The context's size between calls, tokens. */
  reading(fields: FieldsOf<'reading'>): unknown;
  /** The context was emptied. */
  clear(fields: FieldsOf<'clear'>): unknown;
  /** Messages were taken out of the context. */
  compress(fields: FieldsOf<'compress'>): unknown;
}

/** What the owner knows of a call that the tracker cannot. */
export interface TurnReport {
  /** Deltas of this call as the vendor gave them; null or absent: it gave none. */
  usage?: Usage | null | undefined;
  /** The provider's message or response id. */
  call?: string | undefined;
  model?: string | undefined;
  /** The context's size by the provider, tokens: better than the tracker's own sum, which is sent without it. */
  contextTokens?: number | undefined;
  /** What `contextTokens` counts; goes with it. */
  basis?: ReadingBasis | undefined;
  /** Of the compression that the make-up foretells, 0 to 100. Default 50. */
  targetPercent?: number | undefined;
  at?: Moment | undefined;
}

/** What the owner knows of a reading between calls. */
export type ReadingReport = Pick<TurnReport, 'call' | 'model' | 'at'>;

/** As many as an item of the protocol may carry. */
const MAX_ROLES = 16;

/**
 * The make-up of a context as a turn carries it: counts, no text.
 * @param plan what a compression to `targetPercent` would remove.
 */
export function composeContext(
  entries: readonly ContextEntry[],
  maxTokens: number,
  targetPercent: number,
  plan: CompressionPlan,
): Composition {
  const { removed, tokensRemoved } = plan;
  return {
    roles: countRoles(entries),
    suggestions: suggestCompression(entries, maxTokens).map(({ kind, messages, tokensSaved, impact }) => ({
      kind,
      messages,
      tokensSaved,
      impact,
    })),
    compression: {
      targetPercent,
      messagesRemoved: removed.size,
      tokensRemoved,
      tokensLeft: sumTokens(entries) - tokensRemoved,
    },
  };
}

/** Each role in the order of its first message; what is too many is added up as `other`. */
function countRoles(entries: readonly ContextEntry[]): Composition['roles'] {
  const roles = new Map<string, Composition['roles'][number]>();
  for (const { traits, tokens } of entries) {
    const name = storable(traits.role);
    const role = roles.has(name) || roles.size < MAX_ROLES - 1 ? name : 'other';
    const count = roles.get(role) ?? { role, messages: 0, tokens: 0 };
    count.messages += 1;
    count.tokens += tokens;
    roles.set(role, count);
  }
  return [...roles.values()];
}

/** Roles are free text; one that the protocol refuses would cost the whole turn. */
function storable(role: string): string {
  return role.slice(0, PROTOCOL_LIMITS.maxLabelLength).replace(/[\0\p{Cs}]/gu, '\ufffd');
}
