/**
 * Where a transcript looks like holding secrets, what stands there once somebody asks, and its bytes with them masked, as
 * `/api/v1/transcripts/{id}/…` answers.
 */
import { z } from 'zod';
import { name, wholeNumber } from './parameters';
import { CONTENTS_STATES, MAX_ENTRY, transcriptSecret } from './transcript-contents';

/** `GET …/secrets`: every place, in the file's order. */
export const transcriptSecrets = z.object({
  id: z.uuid(),
  state: z.enum(CONTENTS_STATES),
  secrets: z.array(transcriptSecret),
});
export type TranscriptSecrets = z.infer<typeof transcriptSecrets>;

/**
 * `GET …/source`: a piece of the stored bytes as text, from byte `from` on, also where the content could not be read.
 * What looks like a secret stands as `[masked: GitHub token]`, and is told by nobody: the download has it.
 */
export const transcriptSource = z.object({
  id: z.uuid(),
  /** Bytes of the file: [from, to). */
  from: z.number(),
  to: z.number(),
  /** Of the whole file. */
  bytes: z.number().nullable(),
  /** Where the next piece begins; null: that was the last one. */
  next: z.number().nullable(),
  text: z.string(),
});
export type TranscriptSource = z.infer<typeof transcriptSource>;

export const sourceParameters = z.strictObject({
  from: wholeNumber(0, Number.MAX_SAFE_INTEGER, { description: 'The first byte', default: 0 }).optional(),
});

/** `POST …/reveal`: what stands behind some of them. Each asking is written to the audit log. */
export const revealRequest = z.strictObject({
  secrets: z.array(z.int().min(0).max(MAX_ENTRY)).min(1).max(200),
  /** Why; kept in the audit log. */
  reason: name.optional(),
});
export type RevealRequest = z.infer<typeof revealRequest>;

export const revealed = z.object({
  secrets: z.array(
    transcriptSecret.extend({
      /** As it stands in the message, escapes of JSON resolved; put it in place of its mark. */
      value: z.string(),
    }),
  ),
});
export type Revealed = z.infer<typeof revealed>;
