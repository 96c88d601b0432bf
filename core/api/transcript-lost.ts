import { z } from 'zod';
import { CONTENTS_STATES, textPart, transcriptCompaction } from './transcript-contents';

const lostTool = z.object({
  /** Entry of the tool call; `pair` of the outline leads to its result. */
  entry: z.number(),
  tool: z.string(),
  label: z.string().nullable(),
  isError: z.boolean(),
  characters: z.number(),
});
const lostFile = z.object({
  path: z.string(),
  reads: z.number(),
  changes: z.number(),
  entry: z.number(),
});

/** `GET …/lost`: the archive against the context that followed it. Entry numbers hold for this transcript. */
export const transcriptLost = z.object({
  id: z.uuid(),
  state: z.enum(CONTENTS_STATES),
  reason: z.string().nullable(),
  /** Where what followed was read: this transcript or a later one. Null: nothing that followed was archived yet. */
  foundIn: z.object({ id: z.uuid(), at: z.iso.datetime() }).nullable(),
  lost: z
    .object({
      compaction: transcriptCompaction,
      /** The context that was compacted began at this entry, after the boundary before it. */
      from: z.number(),
      /** The client's summary, masked; cut at 200 000 characters. */
      summary: z.object(textPart).nullable(),
      tokens: z.object({
        before: z.number().nullable(),
        preTokens: z.number().nullable(),
        /** Conversation that was kept, without system prompt and tools, as the client says. */
        kept: z.number().nullable(),
        after: z.number().nullable(),
      }),
      /** Messages of the context: kept word for word, and gone. */
      kept: z.object({ messages: z.number(), entries: z.array(z.number()) }),
      gone: z.object({
        messages: z.number(),
        /** By kind: `{ "user": 12, "tool_result": 80, … }`. */
        kinds: z.record(z.string(), z.number()),
        /** Bytes of their lines in the file, by kind. */
        kindBytes: z.record(z.string(), z.number()),
        /** Ranges of entries, both ends included; kept entries lie between them. */
        ranges: z.array(z.tuple([z.number(), z.number()])),
        bytes: z.number(),
      }),
      /** Files that tools touched: named in the summary (by path or name), and not. Cut at 500 each. */
      filesNamed: z.array(lostFile),
      filesNotNamed: z.array(lostFile),
      /** Gone tool calls whose file or command the summary does not name. Cut at 500. */
      toolsNotNamed: z.array(lostTool),
      toolsNotNamedTotal: z.number(),
      toolsTotal: z.number(),
    })
    .nullable(),
});
export type TranscriptLost = z.infer<typeof transcriptLost>;
