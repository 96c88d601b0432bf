import type { Composition } from '../../../core/protocol/items';
import { PROTOCOL_LIMITS } from '../../../core/protocol/limits';
import type { ContextEntry } from './context-entry';
import type { CompressionPlan } from './plan-compression';
import { suggestCompression, sumTokens } from './suggest-compression';

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

/** A role is whatever a message says; one that the protocol refuses would cost the whole turn. */
function storable(role: string): string {
  return role.slice(0, PROTOCOL_LIMITS.maxLabelLength).replace(/[\0\p{Cs}]/gu, '\ufffd');
}
