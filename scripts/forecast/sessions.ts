/** Sessions to judge forecasts by, from transcripts or from bare numbers: a text-free form that may be kept. */
import { z } from 'zod';
import type { TranscriptItem } from '../../core/agents/agent-format';
import { createCallOwners, placeAmendments } from '../../core/agents/testing/measure-sessions';
import { collectSources } from '../../runner/src/transcripts/collect-sources';
import { readSession } from '../../runner/src/transcripts/testing/read-session';

/** The items of every transcript below a folder. */
export async function readSessions(folder: string) {
  const { sessions: found, skipped } = await collectSources([folder]);
  const owners = createCallOwners();
  const sessions: { name: string; items: TranscriptItem[] }[] = [];
  for (const session of found) {
    const { items } = await readSession(session, { owners, content: false });
    sessions.push({ name: session.session, items: placeAmendments(items) });
  }
  return { sessions, skipped };
}

/** Seconds since the turn before, and the context's size after it, tokens. */
const turn = z.tuple([z.number(), z.number()]);

export const sessionNumbers = z.object({
  client: z.string(),
  clientVersion: z.string().nullable(),
  /** Stated with each call, or null: then the model's. */
  limit: z.number().nullable(),
  model: z.string().nullable(),
  contexts: z.array(
    z.object({
      turns: z.array(turn),
      end: z.object({ trigger: z.enum(['auto', 'manual']), preTokens: z.number().nullable() }).nullable(),
    }),
  ),
});
type SessionNumbers = z.infer<typeof sessionNumbers>;

export function toNumbers(items: readonly TranscriptItem[]): SessionNumbers {
  const unknown = { client: 'unknown', clientVersion: null, limit: null, model: null };
  const numbers: SessionNumbers = { ...unknown, contexts: [] };
  let turns: z.infer<typeof turn>[] = [];
  let lastAt: number | null = null;
  const close = (end: SessionNumbers['contexts'][number]['end']) => {
    if (turns.length > 0) numbers.contexts.push({ turns, end });
    turns = [];
  };
  for (const item of items) {
    if (item.type === 'session_start') {
      numbers.client = item.client ?? numbers.client;
      numbers.clientVersion ??= item.clientVersion ?? null;
    } else if (item.type === 'turn' && (item.chain ?? 'main') === 'main' && item.scope !== 'side') {
      if (item.contextTokens === undefined) continue;
      numbers.limit ??= item.limit ?? null;
      numbers.model ??= item.model ?? null;
      turns.push([lastAt === null ? 0 : Math.round((item.at - lastAt) / 1000), item.contextTokens]);
      lastAt = item.at;
    } else if (item.type === 'compaction' && (item.chain ?? 'main') === 'main') {
      if (item.state !== 'confirmed') continue;
      close({ trigger: item.trigger, preTokens: item.preTokens ?? null });
    }
  }
  close(null);
  return numbers;
}

/** Items that fold to the same contexts, from an arbitrary start time. */
export function fromNumbers(numbers: SessionNumbers, session: string): TranscriptItem[] {
  let at = Date.UTC(2026, 0, 5);
  const { client, clientVersion, limit, model } = numbers;
  const version = clientVersion === null ? {} : { clientVersion };
  const stated = { ...(model === null ? {} : { model }), ...(limit === null ? {} : { limit }) };
  const items: TranscriptItem[] = [
    { type: 'session_start', session, at, lens: 'snapshot', client, ...version },
  ];
  numbers.contexts.forEach(({ turns, end }, index) => {
    for (const [seconds, contextTokens] of turns) {
      at += seconds * 1000;
      items.push({ type: 'turn', session, at, usage: { input: 1, output: 1 }, contextTokens, ...stated });
    }
    if (end === null) return;
    const { trigger, preTokens } = end;
    const ending = { trigger, boundary: `${session}#${index}`, ...(preTokens === null ? {} : { preTokens }) };
    items.push({ type: 'compaction', session, at, state: 'confirmed', ...ending });
  });
  return items;
}
