import { z } from 'zod';
import { strict, wholeNumber } from './parameters';

const instantOrNull = z.iso.datetime().nullable();

export const retentionParameters = strict({
  keepDays: wholeNumber(1, 36_500, { description: 'Days after which a transcript is deleted' }).optional(),
  keepStoredBytes: z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'must be a whole number of bytes above 0')
    .transform(Number)
    .describe('Bytes on disk above which the oldest are deleted')
    .optional(),
  keepPerSession: wholeNumber(1, 1_000_000, {
    description: 'The newest of each session that are kept',
  }).optional(),
});
export type RetentionParameters = z.infer<typeof retentionParameters>;

export const keptTranscripts = z.object({
  project: z.string(),
  transcripts: z.number(),
  bytes: z.number(),
  /** Size on disk, compressed and deduplicated. */
  storedBytes: z.number(),
  oldestAt: instantOrNull,
});
export type KeptTranscripts = z.infer<typeof keptTranscripts>;

export const retentionPreview = z.object({
  kept: keptTranscripts,
  /** Due within a minute; each transcript is counted once, by the first limit it exceeds. */
  due: z.object({
    transcripts: z.number(),
    bytes: z.number(),
    oldestAt: instantOrNull,
    newestAt: instantOrNull,
    byAge: z.number(),
    bySession: z.number(),
    byRoom: z.number(),
  }),
});
export type RetentionPreview = z.infer<typeof retentionPreview>;
