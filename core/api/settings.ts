import * as z from 'zod';
import { HIGHEST_LINE, THRESHOLD_NAMES } from '../accounting/thresholds';
import { PROJECT_SCOPES, TOKEN_SCOPES } from '../identity/token-scopes';
import { strict, text } from './parameters';
import { limitSource } from './session';
import { ownTranscriptSettings, transcriptSettings } from './transcript-settings';

const lineReason = `must be a share of the limit above 0 and at most ${HIGHEST_LINE}, as in 0.75, or null for the default`;
const windowReason = 'must be a whole number of tokens, or null to remove the window';
const share = z.number();
const eachLine = <T extends z.ZodType>(of: T) =>
  strict(
    Object.fromEntries(THRESHOLD_NAMES.map((name) => [name, of])) as Record<
      (typeof THRESHOLD_NAMES)[number],
      T
    >,
  );

export const projectSettings = z.object({
  project: z.string(),
  /** Version of the stored settings. A change must name the current version. */
  version: z.string(),
  /** The project's own values; null: the default applies. */
  own: eachLine(share.nullable()),
  thresholds: eachLine(share),
  /** Context windows by model, tokens. A window applies unless a runner or client states one for the model. */
  windows: z.record(z.string(), z.number()),
  transcripts: transcriptSettings,
});
export type ProjectSettings = z.infer<typeof projectSettings>;

export const projectSettingsChange = strict({
  version: z.string('must be the `version` that the settings were read with').max(100),
  /** Omitted thresholds stay; null restores the default. */
  thresholds: eachLine(z.number(lineReason).gt(0, lineReason).lte(HIGHEST_LINE, lineReason).nullable())
    .partial()
    .optional(),
  /** Omitted models stay; null removes a window. Open sessions are computed again with the new windows. */
  windows: z
    .record(
      text(1_000).min(1),
      z
        .number()
        .int()
        .min(1, windowReason)
        .max(2 ** 53 - 1)
        .nullable(),
    )
    .optional(),
  /** Omitted settings stay; null restores the default. Retention is applied within minutes. */
  transcripts: ownTranscriptSettings.partial().optional(),
});
export type ProjectSettingsChange = z.infer<typeof projectSettingsChange>;

export const limitList = z.object({
  table: z.array(
    z.object({
      models: z.string(),
      tokens: z.number(),
      source: z.string(),
      date: z.string(),
    }),
  ),
  seen: z.array(
    z.object({
      project: z.string(),
      model: z.string(),
      tokens: z.number(),
      source: limitSource,
      /** The date of the entry in the model table; null: another source. */
      date: z.string().nullable(),
      sessions: z.number(),
      lastTurnAt: z.iso.datetime().nullable(),
    }),
  ),
});
export type LimitList = z.infer<typeof limitList>;

export const accessToken = z.object({
  id: z.number(),
  name: z.string(),
  /** First characters of the secret. Null: a token of an earlier version. */
  start: z.string().nullable(),
  scopes: z.array(z.enum(TOKEN_SCOPES)),
  /** The only projects that the token may use. Null: every project. */
  projects: z.array(z.string()).nullable(),
  createdAt: z.iso.datetime(),
  /** Null: never. */
  expiresAt: z.iso.datetime().nullable(),
  /** Until then the secret before the last rotation is valid too. Null: it is not. */
  rotatesUntil: z.iso.datetime().nullable(),
  /** Exact to a minute. Null: never used. */
  lastUsedAt: z.iso.datetime().nullable(),
  /** Address of the last use. */
  lastUsedFrom: z.string().nullable(),
});
export type AccessToken = z.infer<typeof accessToken>;

export const tokenList = z.object({ tokens: z.array(accessToken) });

const line = (max: number) =>
  text(max)
    .trim()
    .min(1, 'must not be empty')
    .refine((value) => !/\p{Cc}/u.test(value), 'must not contain control characters');
const wholeUpTo = (least: number, most: number, unit: string) => {
  const reason = `must be a whole number of ${unit} from ${least} to ${most}`;
  return z.int(reason).min(least, reason).max(most, reason);
};

const scopeReason = `must be one of ${TOKEN_SCOPES.join(', ')}`;
export const newToken = strict({
  name: line(200),
  scopes: z.array(z.enum(TOKEN_SCOPES, scopeReason), `must be a list of ${TOKEN_SCOPES.join(', ')}`).min(1, {
    error: `must have at least one of ${TOKEN_SCOPES.join(', ')}`,
  }),
  /** Limits the token to these projects. Omitted: every project. */
  projects: z.array(line(400)).min(1, 'must have at least one project').max(100).optional(),
  /** Omitted: the token never expires. */
  expiresInDays: wholeUpTo(1, 3_650, 'days').optional(),
}).refine(
  ({ scopes, projects }) => projects === undefined || scopes.every((scope) => PROJECT_SCOPES.includes(scope)),
  {
    path: ['projects'],
    message: `limits only a token of the scopes ${PROJECT_SCOPES.join(', ')}`,
  },
);
export type NewToken = z.infer<typeof newToken>;

export const DEFAULT_OVERLAP_MINUTES = 24 * 60;
export const tokenRotation = strict({
  /** Minutes for which the former secret stays valid. 0: it ends at once. */
  overlapMinutes: wholeUpTo(0, 30 * 24 * 60, 'minutes').default(DEFAULT_OVERLAP_MINUTES),
});

export const createdToken = z.object({
  /** Shown only once: only its hash is stored. */
  secret: z.string(),
  token: accessToken,
});
export type CreatedToken = z.infer<typeof createdToken>;

export const revokedToken = z.object({ revoked: accessToken });
export type RevokedToken = z.infer<typeof revokedToken>;

export const deletedProject = z.object({ deleted: z.string(), sessions: z.number() });
