/**
 * The content of an archived transcript, as `/api/v1/transcripts/{id}/…` answers; entries are numbered from 0. Secrets
 * are replaced by marks such as `[secret 12: GitHub token]`; `POST …/reveal` returns the values and is audited.
 */
import * as z from 'zod';
import { TRANSCRIPT_FORMATS } from '../agents/clients';
import { ENTRY_KINDS, IMAGE_TYPES } from '../agents/entry';
import { MAX_INT, name, oneOf, strict, text, wholeNumber } from './parameters';
import { usage } from './session';
import { searchHit } from './transcripts';

const instantOrNull = z.iso.datetime().nullable();
export const MAX_ENTRY = MAX_INT;

/** `waiting`: stored, not processed yet. `failed`: see the reason; the bytes can still be downloaded. */
export const CONTENTS_STATES = ['waiting', 'reading', 'read', 'failed'] as const;
export type ContentsState = (typeof CONTENTS_STATES)[number];

const transcriptCall = usage.extend({
  entry: z.number(),
  /** Index into `chains`. */
  chain: z.number(),
  contextTokens: z.number(),
  model: z.string().nullable(),
});

const transcriptChain = z.object({
  /** `main`, or the sub-agent's id. */
  key: z.string(),
  /** Entry with the tool call that started the chain. Null for `main`, and if the call is unknown. */
  call: z.number().nullable(),
  entry: z.number(),
  entries: z.number(),
});

export const transcriptCompaction = z.object({
  entry: z.number(),
  summary: z.number().nullable(),
  at: instantOrNull,
  trigger: z.enum(['auto', 'manual']).nullable(),
  /** The client's own counts. `postTokens` is the kept conversation, without system prompt and tools. */
  preTokens: z.number().nullable(),
  postTokens: z.number().nullable(),
  durationMs: z.number().nullable(),
});
export type TranscriptCompaction = z.infer<typeof transcriptCompaction>;

/** `GET …/outline`: columns without texts; `columns.kind[7]` is the kind of entry 7. Empty until `state` is `read`. */
export const transcriptOutline = z.object({
  id: z.uuid(),
  state: z.enum(CONTENTS_STATES),
  reason: z.string().nullable(),
  readAt: instantOrNull,
  format: z.enum(TRANSCRIPT_FORMATS).nullable(),
  bytes: z.number().nullable(),
  lines: z.number().nullable(),
  entries: z.number(),
  /** Entries of kind user, assistant, thinking, tool_call, tool_result and summary. */
  messages: z.number(),
  window: z.number().nullable(),
  secrets: z.number(),
  columns: z.object({
    kind: z.array(z.number()),
    /** Line of the file, from 0. A line may have several entries. */
    line: z.array(z.number()),
    bytes: z.array(z.number()),
    /** Seconds since the epoch; null: the line has no time. */
    at: z.array(z.number().nullable()),
    /** Index into `chains`; 0 is main. */
    chain: z.array(z.number()),
    call: z.array(z.number().nullable()),
    /** Entry of a call's first result, or of a result's call. Null: no such entry, or several. */
    pair: z.array(z.number().nullable()),
  }),
  calls: z.array(transcriptCall),
  chains: z.array(transcriptChain),
  compactions: z.array(transcriptCompaction),
  /** Number of compactions in the file. `compactions` has at most the first 1 999 and the last. */
  boundaries: z.number(),
});
export type TranscriptOutline = z.infer<typeof transcriptOutline>;

export const textPart = {
  /** Only the start if `characters` exceeds its length; `full=1` returns all. */
  text: z.string(),
  characters: z.number(),
};
const imageBlock = z.object({
  type: z.literal('image'),
  /** Null: an image type that is not shown, such as SVG, or no image in the file. */
  mediaType: z.enum(IMAGE_TYPES).nullable(),
  /** Base64; null: omitted (request it with `full=1`), or not in the file. */
  data: z.string().nullable(),
  characters: z.number(),
});
const textBlock = z.object({ type: z.literal('text'), ...textPart });
const otherBlock = z.object({ type: z.literal('other'), name: z.string(), ...textPart });
/** The number of further parts: only the first 1 000 of an entry are parsed. The source (`raw=1`) has all. */
const restBlock = z.object({ type: z.literal('rest'), parts: z.number() });

export const transcriptBlock = z.discriminatedUnion('type', [
  /** Markdown or plain text, never HTML. */
  textBlock,
  /** Empty when the client encrypts it. */
  z.object({ type: z.literal('thinking'), ...textPart }),
  z.object({
    type: z.literal('tool_call'),
    callId: z.string().nullable(),
    name: z.string(),
    label: z.string().nullable(),
    ...textPart,
    isJson: z.boolean(),
    result: z.number().nullable(),
  }),
  z.object({
    type: z.literal('tool_result'),
    callId: z.string().nullable(),
    isError: z.boolean(),
    call: z.number().nullable(),
    content: z.array(z.discriminatedUnion('type', [textBlock, imageBlock, otherBlock, restBlock])),
  }),
  imageBlock,
  otherBlock,
  restBlock,
]);
export type TranscriptBlock = z.infer<typeof transcriptBlock>;

export const transcriptSecret = z.object({
  secret: z.number(),
  rule: z.string(),
  entry: z.number(),
  line: z.number(),
});

export const transcriptEntry = z.object({
  entry: z.number(),
  line: z.number(),
  kind: z.enum(ENTRY_KINDS),
  /** The client's name for this kind of line: `system/compact_boundary`, `progress/hook_progress`. */
  name: z.string().nullable(),
  at: instantOrNull,
  chain: z.string(),
  /** Byte range in the file: [from, to). */
  from: z.number(),
  to: z.number(),
  /** Written by the client into the conversation, not by the person. */
  isMeta: z.boolean(),
  usage: usage.nullable(),
  model: z.string().nullable(),
  /** Size of the chain's context at this entry; null: unknown at the start and after a compaction. */
  contextTokens: z.number().nullable(),
  blocks: z.array(transcriptBlock),
  /** The source of the line: always for `record` and `raw`, for others with `raw=1`. */
  raw: z.object(textPart).nullable(),
  secrets: z.array(transcriptSecret),
});
export type TranscriptEntry = z.infer<typeof transcriptEntry>;

/** `GET …/messages`: entries from `from` on, fewer than requested if they are large; continue at `next`. */
export const transcriptMessages = z.object({
  id: z.uuid(),
  state: z.enum(CONTENTS_STATES),
  reason: z.string().nullable(),
  entries: z.array(transcriptEntry),
  next: z.number().nullable(),
});
export type TranscriptMessages = z.infer<typeof transcriptMessages>;

const MAX_MESSAGES = 500;
export const messagesParameters = strict({
  from: wholeNumber(0, MAX_ENTRY, { description: 'Number of the first entry', default: 0 }).optional(),
  count: wholeNumber(1, MAX_MESSAGES, { description: 'Maximum number of entries', default: 50 }).optional(),
  raw: oneOf(['0', '1']).describe('1: include the source of every line').optional(),
  full: oneOf(['0', '1'])
    .describe('1: complete texts and images of one entry (requires `count=1`)')
    .optional(),
});

export const outlineParameters = strict({
  count: wholeNumber(1, MAX_ENTRY, {
    description: 'Return only this many entries, with their calls',
  }).optional(),
});

/** `GET …/search`: matches of a phrase in this transcript, in file order. */
export const transcriptSearch = z.object({
  id: z.uuid(),
  state: z.enum(CONTENTS_STATES),
  hits: z.array(searchHit.extend({ entry: z.number() })),
  /** Number of these hits. If `isMore` is true, the transcript may have more. */
  total: z.number(),
  isMore: z.boolean(),
  /** Where the next search starts (`from`); null: the end of the file was reached. */
  next: z.number().nullable(),
});
export type TranscriptSearch = z.infer<typeof transcriptSearch>;

export const searchParameters = strict({
  q: text(200).min(1, 'must not be empty').describe('A phrase of whole words, case-insensitive'),
  limit: wholeNumber(1, 2_000, {
    description: 'The search stops after this many hits',
    default: 500,
  }).optional(),
  from: wholeNumber(0, MAX_ENTRY, { description: '`next` of the previous answer', default: 0 }).optional(),
});

/** `GET …/secrets`: all places, in the file's order. */
export const transcriptSecrets = z.object({
  id: z.uuid(),
  state: z.enum(CONTENTS_STATES),
  secrets: z.array(transcriptSecret),
});

/** `GET …/source`: stored bytes from `from` on as text, secrets masked. */
export const transcriptSource = z.object({
  id: z.uuid(),
  from: z.number(),
  to: z.number(),
  bytes: z.number().nullable(),
  next: z.number().nullable(),
  text: z.string(),
});
export type TranscriptSource = z.infer<typeof transcriptSource>;

export const sourceParameters = strict({
  from: wholeNumber(0, Number.MAX_SAFE_INTEGER, {
    description: 'Position of the first byte',
    default: 0,
  }).optional(),
});

/** `POST …/reveal`: masked secrets in plain text, 200 per answer. The audit log records the request. */
export const revealRequest = strict({
  /** Number of the first secret; `next` of the previous answer. */
  from: z.int().min(0).max(MAX_ENTRY).optional(),
  reason: name.optional(),
});
export type RevealRequest = z.infer<typeof revealRequest>;

export const revealed = z.object({
  secrets: z.array(
    transcriptSecret.extend({
      value: z.string(),
    }),
  ),
  next: z.number().int().nullable(),
});
export type Revealed = z.infer<typeof revealed>;
