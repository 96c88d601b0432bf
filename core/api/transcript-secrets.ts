/** The secrets of a transcript and its masked source, as `/api/v1/transcripts/{id}/…` answers. */
import { z } from 'zod';
import { name, strict, wholeNumber } from './parameters';
import { CONTENTS_STATES, MAX_ENTRY, transcriptSecret } from './transcript-contents';

/** `GET …/secrets`: all places, in the file's order. */
export const transcriptSecrets = z.object({
  id: z.uuid(),
  state: z.enum(CONTENTS_STATES),
  secrets: z.array(transcriptSecret),
});

/**
 * `GET …/source`: part of the stored bytes as text, from byte `from`, also where the content could not be parsed.
 * Secrets are replaced by marks such as `[masked: GitHub token]`; only the download has them.
 */
export const transcriptSource = z.object({
  id: z.uuid(),
  /** Bytes of the file: [from, to). */
  from: z.number(),
  to: z.number(),
  /** Size of the whole file. */
  bytes: z.number().nullable(),
  /** Start of the next part; null: the last one. */
  next: z.number().nullable(),
  text: z.string(),
});
export type TranscriptSource = z.infer<typeof transcriptSource>;

export const sourceParameters = strict({
  from: wholeNumber(0, Number.MAX_SAFE_INTEGER, { description: 'The first byte', default: 0 }).optional(),
});

/** `POST …/reveal`: the masked secrets, a page at a time. The audit log records it. */
export const revealRequest = strict({
  /** Number of the first secret; `next` of the answer before. */
  from: z.int().min(0).max(MAX_ENTRY).optional(),
  /** Kept in the audit log. */
  reason: name.optional(),
});
export type RevealRequest = z.infer<typeof revealRequest>;

export const revealed = z.object({
  secrets: z.array(
    transcriptSecret.extend({
      /** The text in the message in place of the mask, JSON escapes resolved. */
      value: z.string(),
    }),
  ),
  /** `from` of the next page; null: the last one. */
  next: z.number().int().nullable(),
});
export type Revealed = z.infer<typeof revealed>;
