/** Translates a turn from the library's names to those of the protocol. */
import type { Usage } from '../../../core/protocol/items';
import { hintRenamed, percentOf } from '../old-names';
import type { UsageCounts } from '../usage/read-usage';
import type { ContextComposition } from './client-types';

/** The library's names of the counts, and the protocol's. */
const NAMES: readonly (readonly [name: keyof UsageCounts, wire: keyof Usage])[] = [
  ['inputTokens', 'input'],
  ['outputTokens', 'output'],
  ['cacheReadTokens', 'cacheRead'],
  ['cacheCreationTokens', 'cacheCreation'],
];
/** Fields of the AI SDK and of OpenAI Agents. Their `inputTokens` include cached tokens. */
const FOREIGN = ['inputTokenDetails', 'outputTokenDetails', 'inputTokensDetails', 'cachedInputTokens'];
const READ = "use readUsage(response) of barograph/usage to read a provider's response";

/** A usage with the protocol's names; unchanged if it has none of the library's names. */
function wireUsage(usage: unknown): unknown {
  if (typeof usage !== 'object' || usage === null || !NAMES.some(([name]) => name in usage)) return usage;
  const counts = usage as Record<string, unknown>;
  return Object.fromEntries(NAMES.map(([name, wire]) => [wire, counts[name] ?? counts[wire]]));
}

/** A composition with the target in percent, as the protocol has it; unchanged if it has no target as a share. */
function wireComposition(composition: unknown): unknown {
  const { compression } = (composition ?? {}) as Partial<ContextComposition>;
  if (typeof compression?.target !== 'number') return composition;
  const { target, ...counts } = compression;
  return { ...(composition as object), compression: { ...counts, targetPercent: percentOf(target) } };
}

/** Warn of each count that has the protocol's name. */
export function hintWireNames(usage: object | null | undefined): void {
  for (const [name, wire] of NAMES)
    if (usage && wire in usage) hintRenamed('session.turn', `usage.${wire}`, `usage.${name}`);
}

/**
 * Why a usage is refused: with only unknown names each count would be 0, because the protocol ignores unknown fields.
 * Null: its names are known, or there is none.
 */
export function refuseNames(usage: unknown): string | null {
  if (typeof usage !== 'object' || usage === null) return null;
  const foreign = FOREIGN.find((name) => name in usage);
  if (foreign !== undefined) {
    return `has the field ${foreign} of a library that counts cached tokens as input; ${READ}`;
  }
  const names = Object.keys(usage);
  if (names.length === 0 || NAMES.flat().some((name) => name in usage)) return null;
  const known = NAMES.map(([name]) => name).join(', ');
  return `has only unknown fields (${names.slice(0, 8).join(', ')}) and none of ${known}; ${READ}`;
}

/** A fault in a count with the protocol's name, by the name that the program used. */
export function nameField<Fault extends { field: string }>(fault: Fault): Fault {
  const known = NAMES.find(([, wire]) => fault.field === `usage.${wire}`);
  return known === undefined ? fault : { ...fault, field: `usage.${known[0]}` };
}

/** The usage and the composition of a turn with the names and units of the protocol. */
export function wireTurn({ usage, composition }: Record<string, unknown>) {
  return { usage: wireUsage(usage), composition: wireComposition(composition) };
}
