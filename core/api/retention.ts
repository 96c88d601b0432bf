/** What a project keeps of transcripts, and what a retention would delete now. */
import { z } from 'zod';
import { wholeNumber } from './parameters';

const instantOrNull = z.iso.datetime().nullable();

/** The retention that is asked about; what is left out is off. */
export const retentionParameters = z.strictObject({
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

/** What lies in the store of a project. */
export const keptTranscripts = z.object({
  project: z.string(),
  /** Transcripts whose bytes are here. */
  transcripts: z.number(),
  /** Of the files, as they were handed over. */
  bytes: z.number(),
  /** What they take on disk, compressed and shared. */
  storedBytes: z.number(),
  oldestAt: instantOrNull,
});
export type KeptTranscripts = z.infer<typeof keptTranscripts>;

export const retentionPreview = z.object({
  kept: keptTranscripts,
  /** What would go at the next look, within a minute; each counted once, by the first that applies. */
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
