import { z } from 'zod';
import { name, strict, wholeNumber } from './parameters';
import { CONTENTS_STATES, MAX_ENTRY, transcriptSecret } from './transcript-contents';

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
  from: wholeNumber(0, Number.MAX_SAFE_INTEGER, { description: 'The first byte', default: 0 }).optional(),
});

/** `POST …/reveal`: the masked secrets, a page at a time. The audit log records it. */
export const revealRequest = strict({
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
