import * as z from 'zod';
import { instant, strict } from './parameters';
import { CONTENTS_STATES, textPart, transcriptCompaction } from './transcript-contents';

const lostTool = z.object({
  /** Entry of the tool call. In the outline, `pair` has the entry of the result. */
  entry: z.number(),
  tool: z.string(),
  label: z.string().nullable(),
  isError: z.boolean(),
  characters: z.number(),
  /** First line of the error. */
  problem: z.string().nullable(),
});
/** A message that the person wrote. The text is cut at 20 000 characters. */
const lostPrompt = z.object({
  entry: z.number(),
  text: z.string(),
  characters: z.number(),
  /** Whether the summary contains the whole message. */
  isNamed: z.boolean(),
});
const lostFile = z.object({
  path: z.string(),
  reads: z.number(),
  changes: z.number(),
  entry: z.number(),
});

/** `GET …/lost`: the archive compared with the context that followed it. Entry numbers are this transcript's. */
export const transcriptLost = z.object({
  id: z.uuid(),
  state: z.enum(CONTENTS_STATES),
  reason: z.string().nullable(),
  /** The transcript with the following context: this or a later one. Null: no such transcript is archived yet. */
  foundIn: z.object({ id: z.uuid(), at: z.iso.datetime() }).nullable(),
  lost: z
    .object({
      compaction: transcriptCompaction,
      /** First entry of the compacted context. */
      from: z.number(),
      /** The client's summary, masked; cut at 200 000 characters. */
      summary: z.object(textPart).nullable(),
      tokens: z.object({
        before: z.number().nullable(),
        preTokens: z.number().nullable(),
        /** Kept conversation as the client reports it, without system prompt and tools. */
        kept: z.number().nullable(),
        after: z.number().nullable(),
      }),
      kept: z.object({ messages: z.number(), entries: z.array(z.number()) }),
      gone: z.object({
        messages: z.number(),
        kinds: z.record(z.string(), z.number()),
        /** Tokens by kind, estimated from the texts; images count 0. */
        kindTokens: z.record(z.string(), z.number()),
        /** Ranges of entries, both ends included; kept entries lie between them. */
        ranges: z.array(z.tuple([z.number(), z.number()])),
        /** Estimated tokens of all kinds. */
        tokens: z.number(),
      }),
      /** Files that tools touched: files that the summary names by path or name, and all others. At most 500 each. */
      filesNamed: z.array(lostFile),
      filesNotNamed: z.array(lostFile),
      /** Dropped tool calls that the summary does not name by file or command. At most 500. */
      toolsNotNamed: z.array(lostTool),
      toolsNotNamedTotal: z.number(),
      toolsTotal: z.number(),
      /** The person's messages of the dropped context, oldest first; at most the 500 newest. */
      prompts: z.array(lostPrompt),
      /** Open tasks of the agent's own list that the summary does not contain. */
      tasks: z.array(z.object({ text: z.string(), isStarted: z.boolean() })),
    })
    .nullable(),
});

export const lostParameters = strict({
  at: instant
    .describe('Time of the compaction; the nearest one is compared. Default: the last one')
    .optional(),
});
export type TranscriptLost = z.infer<typeof transcriptLost>;
