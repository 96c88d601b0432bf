/**
 * Items: what a runner reports about its sessions. Within a stream, `seq` alone decides the order of the items. Neither
 * the order of arrival nor the runner's times affect it.
 */
import * as z from 'zod';
import { COMMAND_ACTIONS, REPORTED_STATES } from './commands';
import { count, instant, key, label, seq, size, text, usage } from './fields';

const item = { seq, session: key, at: instant };
/** Maximum number of ids of one call. */
const MAX_CALL_IDS = 8;
/** `main`, or the key of one sub-agent. */
const chain = key.optional();
/** The provider's ids of one call, each unique in its session. Without an id, stream and seq identify the call. */
const callIds = z.union([key, z.array(key).min(1).max(MAX_CALL_IDS)]);

const lensName = z.enum(['cumulative', 'snapshot']);
const readingBasis = z.enum(['total', 'input', 'estimate']);
/** Who states the limit of a turn or reading; absent: the runner. */
const statedBy = z.enum(['client', 'status_line', 'api_error']).optional();

/** Messages and tokens of a context by role, with suggested removals. A composition has counts, but no text. */
export const composition = z.object({
  /** Messages and tokens of each role that is present. */
  roles: z
    .array(z.object({ role: label.min(1), messages: size, tokens: size }))
    .max(16, 'must have at most 16 roles'),
  /** Suggested removals, best first. */
  suggestions: z
    .array(
      z.object({
        kind: z.enum(['remove_old_user_messages', 'summarize_assistant_messages']),
        /** Number of messages to remove or summarise. */
        messages: size,
        tokensSaved: size,
        impact: z.enum(['low', 'medium', 'high']),
      }),
    )
    .max(16, 'must have at most 16 suggestions'),
  /** What a compression to this share of the limit would remove. */
  compression: z
    .object({
      /** Target of the compression, percent of the limit. */
      targetPercent: z.number().min(0).max(100),
      /** Number of messages removed. */
      messagesRemoved: size,
      /** Tokens removed. */
      tokensRemoved: size,
      /** Tokens in the context afterwards. */
      tokensLeft: size,
    })
    .optional(),
});

const sessionStart = z.object({
  type: z.literal('session_start'),
  ...item,
  reason: z.enum(['startup', 'resumed', 'clear', 'fork']).optional(),
  lens: lensName.optional(),
  /** A name for people. */
  title: label.optional(),
  client: label.optional(),
  clientVersion: label.optional(),
  clientSessionId: key.optional(),
  model: label.optional(),
  /** The context window in tokens, for the whole session. */
  limit: size.optional(),
  /** Share of the limit at which the runner restarts; above 1 means never. */
  restartLine: z.number().positive().max(1000).optional(),
  /** Tokens at which the client compacts automatically. */
  compactsAt: size.optional(),
  host: label.optional(),
  folder: label.optional(),
  branch: label.optional(),
  /** Key of the session that this one follows (`/clear`). */
  previous: key.optional(),
  /** Key of the session that this one was forked from. */
  forkedFrom: key.optional(),
  /** An imported past session is never live and never alerts. */
  backfill: z.boolean().optional(),
});

const sessionAlias = z.object({
  type: z.literal('session_alias'),
  ...item,
  client: label,
  clientSessionId: key,
});

const sessionEnd = z.object({
  type: z.literal('session_end'),
  ...item,
  reason: label.optional(),
});

export const turn = z.object({
  type: z.literal('turn'),
  ...item,
  chain,
  /** `side`: a call that does not contain the chain's history (titling, the compaction's own call). */
  scope: z.enum(['main', 'side']).optional(),
  call: callIds.optional(),
  model: label.optional(),
  /** The context window this turn ran in, in tokens. */
  limit: size.optional(),
  limitSource: statedBy,
  /** Deltas of this turn. `null` or absent: the provider returned no usage, which disables cumulative tracking. */
  usage: usage.nullish(),
  /** The context's size after this turn, in tokens. */
  contextTokens: size.optional(),
  basis: readingBasis.optional(),
  /** The context's composition after this turn. The server keeps the newest of each chain, and ignores side calls. */
  composition: composition.optional(),
  /** Copied from a parent session's history: stored, but excluded from all totals. */
  inherited: z.boolean().optional(),
});

const reading = z.object({
  type: z.literal('reading'),
  ...item,
  chain,
  call: callIds.optional(),
  model: label.optional(),
  limit: size.optional(),
  limitSource: statedBy,
  contextTokens: size,
  basis: readingBasis.optional(),
});

const restart = z.object({
  type: z.literal('restart'),
  ...item,
  /** Number of this restart: 1 for the first. */
  continuation: size.optional(),
  reason: label.optional(),
  pressure: z.number().nonnegative().optional(),
  checkpoint: text.optional(),
  /** The first prompt of the new context. */
  prompt: text.optional(),
  client: label.optional(),
  /** Id of the new client session, which becomes an alias. */
  clientSessionId: key.optional(),
});

const compaction = z.object({
  type: z.literal('compaction'),
  ...item,
  chain,
  /** Absent: the source does not state it. Another report of this compaction may, else it counts as `auto`. */
  trigger: z.enum(['auto', 'manual']).optional(),
  /** A hook reports `pending` before the compaction. Only `confirmed` ends the context. */
  state: z.enum(['pending', 'confirmed', 'blocked', 'failed']),
  /** Why the compaction was blocked or failed, if the runner knows. */
  reason: label.optional(),
  preTokens: size.optional(),
  postTokens: size.optional(),
  durationMs: size.optional(),
  /** The client's own id of this compaction (Claude Code: the boundary's uuid). */
  boundary: key.optional(),
});

const clear = z.object({
  type: z.literal('clear'),
  ...item,
  chain,
  tokensCleared: size.optional(),
});

const compress = z.object({
  type: z.literal('compress'),
  ...item,
  chain,
  before: size,
  after: size,
  /** Messages removed. */
  removed: size.optional(),
});

const archiveNotice = z.object({
  type: z.literal('archive'),
  ...item,
  state: z.enum(['stored', 'skipped', 'failed']),
  trigger: z.enum(['auto', 'manual']).optional(),
  /** The runner's id of the archive, also used for its upload. */
  archive: z.uuid('must be a uuid').describe('a uuid').optional(),
  /** `hook`: an exact copy of the file when the hook fired. `completed`: read again up to the compaction's own line. */
  version: z.enum(['hook', 'completed']).optional(),
  reason: label.optional(),
  /** Path on the runner's machine. */
  path: label.optional(),
  bytes: size.optional(),
  lines: size.optional(),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be 64 hexadecimal digits')
    .describe('64 hexadecimal digits')
    .optional(),
});

/** How a gap's count relates to the number of missing items. */
export const GAP_BOUNDS = ['atLeast', 'atMost', 'about'] as const;

/** Items that the runner dropped. The page shows a gap, and the context's sums become a lower bound. */
const gap = z.object({
  type: z.literal('gap'),
  ...item,
  chain,
  from: seq.optional(),
  to: seq.optional(),
  count: count.min(1, 'must be at least 1').describe('a whole number from 1 to 2^53−1'),
  /** Absent if `count` is exact. */
  bound: z.enum(GAP_BOUNDS).optional(),
  reason: label.optional(),
});

/** What became of a command that the server sent. */
const commandState = z.object({
  type: z.literal('command_state'),
  ...item,
  /** Id of the command. */
  command: z.uuid('must be a uuid').describe('a uuid'),
  action: z.enum(COMMAND_ACTIONS),
  state: z.enum(REPORTED_STATES),
  /** Why the runner refused it. */
  reason: label.optional(),
});

export const itemSchema = z.discriminatedUnion('type', [
  sessionStart,
  sessionAlias,
  sessionEnd,
  turn,
  reading,
  restart,
  compaction,
  clear,
  compress,
  archiveNotice,
  gap,
  commandState,
]);

/** An item of the protocol. `dist/PROTOCOL.md` (in a clone `core/PROTOCOL.md`) describes all items and units. */
export type Item = z.infer<typeof itemSchema>;
/** Kind of an item, such as `turn`. */
export type ItemType = Item['type'];
export type ItemOf<T extends ItemType> = Extract<Item, { type: T }>;
export type TurnItem = ItemOf<'turn'>;
/** What a reading counts: the whole last call, only its input, or an estimate. */
export type ReadingBasis = z.infer<typeof readingBasis>;
/** How pressure is computed: from the sums of the context, or from the last reading. */
export type LensName = z.infer<typeof lensName>;
export type Composition = z.infer<typeof composition>;
/** Tokens of one call or turn. `input` excludes tokens read from and written to the prompt cache. */
export type Usage = z.infer<typeof usage>;
