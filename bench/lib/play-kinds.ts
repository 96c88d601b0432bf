/** Twenty senders of one kind of item at a fixed rate, each with its own token, address and project. */
import type { Item, TurnItem } from '../../core/protocol/items';
import { POISON } from '../../db/testing/refuse-poison';
import { connect, type Runner, type Target } from './connect-runner';
import { createTurnSource } from './make-turns';

export const KINDS = ['late', 'amended', 'chains', 'sparse', 'months', 'exports', 'poison'] as const;
export type Kind = (typeof KINDS)[number] | 'plain' | 'none';

/** Open the streams of all kinds, and store `stored` turns in each sender's long sessions. */
export interface OpenRequest {
  type: 'open';
  url: string;
  tokens: string[];
  stored: number;
}

/** Send one kind for a time, and answer when all items are acknowledged. */
export interface KindRequest {
  type: 'kind';
  kind: Kind;
  ms: number;
  perSecond: number;
  round: number;
}

interface Sender {
  runners: Record<string, Runner>;
  /** The next items of a kind. Exports run beside plain items. */
  next(kind: Kind, count: number, round: number): Item[];
}

const TICK_MS = 20;
/** Larger frames are stored in slices. */
const SEED_FRAME = 100;
/** Seqs below are free for late items. */
const FIRST_STORED = 1_000_000;
/** Sparse seqs are this far apart. */
const HOLE = 1_000;
/** Each round has other months, so that it creates their partitions. */
const MONTHS_PER_ROUND = 12;
const DAY_MS = 86_400_000;
const streamOf = (kind: Kind) =>
  kind === 'late' || kind === 'amended' ? 'long' : kind === 'exports' ? 'plain' : kind;

let senders: Sender[] = [];

export async function openSenders({ url, tokens, stored }: OpenRequest): Promise<number> {
  senders = await Promise.all(tokens.map((token, index) => openSender({ url, token }, index, stored)));
  return 2 * stored * tokens.length;
}

async function openSender(target: Target, index: number, stored: number): Promise<Sender> {
  const runners: Record<string, Runner> = {};
  for (const name of ['plain', 'long', 'chains', 'sparse', 'months', 'poison']) {
    const options = { localAddress: `127.0.1.${index + 1}`, mayRefuse: name === 'poison' };
    runners[name] = await connect(target, `team-${index}`, name, options);
  }
  const now = Date.now();
  const counter = (before: number, step = 1) => {
    let seq = before;
    return () => {
      seq += step;
      return seq;
    };
  };
  const nextSeq = {
    plain: counter(0),
    late: counter(0),
    stored: counter(FIRST_STORED),
    chains: counter(0),
    sparse: counter(0, HOLE),
    months: counter(0),
    poison: counter(0),
  };
  const startAt = now - stored * 3_000;
  const sourceOf = (name: 'plain' | 'late' | 'stored' | 'sparse' | 'poison', at: number) =>
    createTurnSource(`${name}-${index}`, index, at, { nextSeq: nextSeq[name] });
  const plain = sourceOf('plain', now);
  const poison = sourceOf('poison', now);
  const long = sourceOf('stored', startAt);
  const sparse = sourceOf('sparse', startAt);
  const late = createTurnSource(`stored-${index}`, index + 1_000, startAt - DAY_MS, {
    everyMs: 1,
    nextSeq: nextSeq.late,
  });
  const other = createTurnSource('other', index, now);
  const turn = () => other.next(1).at(-1) as TurnItem;
  const calls: TurnItem[] = [];
  for (let made = 0; made < stored; made += SEED_FRAME) {
    const items = long.next(Math.min(SEED_FRAME, stored - made));
    calls.push(...items.filter((item) => item.type === 'turn'));
    await runners.long?.send(JSON.stringify(items));
    await runners.sparse?.send(JSON.stringify(sparse.next(items.length)));
  }
  await Promise.all(Object.values(runners).map((runner) => runner.settled()));

  const amend = (): Item => {
    const call = calls.shift() as TurnItem;
    const usage = { ...call.usage, output: (call.usage?.output ?? 0) + 1 };
    calls.push({ ...call, usage });
    return { ...call, usage, seq: nextSeq.stored() };
  };
  const ofMonth = (round: number): Item => {
    const seq = nextSeq.months();
    const month = round * MONTHS_PER_ROUND + (seq % MONTHS_PER_ROUND);
    const at = Date.UTC(2020, month, 1 + (seq % 28));
    return { ...turn(), seq, session: `month-${index}-${month}`, at };
  };
  const refused = (): Item => {
    const item = poison.next(1).at(-1) as TurnItem;
    // The database refuses the one, and the sum of the other is beyond the exact range.
    const inputs = [POISON, Number.MAX_SAFE_INTEGER, 1, 2];
    return { ...item, usage: { ...item.usage, input: inputs[item.seq % inputs.length] } };
  };
  const times = (count: number, make: () => Item) => Array.from({ length: count }, make);
  return {
    runners,
    next(kind, count, round) {
      if (kind === 'late') return late.next(count);
      if (kind === 'amended') return times(count, amend);
      if (kind === 'sparse') return sparse.next(count);
      if (kind === 'months') return times(count, () => ofMonth(round));
      if (kind === 'poison') return times(count, refused);
      if (kind !== 'chains') return plain.next(count);
      return times(count, () => {
        const seq = nextSeq.chains();
        return { ...turn(), session: 'swarm', seq, chain: `agent-${seq}` };
      });
    },
  };
}

export async function playKind({ kind, ms, perSecond, round }: KindRequest): Promise<number> {
  const startedAt = performance.now();
  const stream = streamOf(kind);
  const items = kind === 'none' ? 0 : Math.round((ms / 1_000) * perSecond);
  let sent = 0;
  const send = (sender: Sender | undefined, count: number) => {
    sent += count;
    void sender?.runners[stream]?.send(JSON.stringify(sender.next(kind, count, round)));
  };
  // One frame names all chains of the round.
  if (kind === 'chains') send(senders[0], items);
  while (performance.now() - startedAt < ms) {
    const due = ((performance.now() - startedAt) / 1_000) * perSecond;
    while (sent < Math.min(due, items)) send(senders[sent % senders.length], 1);
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  while (sent < items) send(senders[sent % senders.length], 1);
  await Promise.all(senders.map(({ runners }) => runners[stream]?.settled()));
  return items;
}
