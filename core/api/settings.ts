import * as z from 'zod';
import { HIGHEST_LINE, THRESHOLD_NAMES } from '../accounting/thresholds';
import { TOKEN_SCOPES } from '../identity/token-scopes';
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

const scopeReason = `must be one of ${TOKEN_SCOPES.join(', ')}`;

export const accessToken = z.object({
  id: z.number(),
  name: z.string(),
  scope: z.enum(TOKEN_SCOPES),
  /** The only project that the token may write. Null: every project. */
  project: z.string().nullable(),
  createdAt: z.iso.datetime(),
  /** Exact to a minute. Null: never used. */
  lastUsedAt: z.iso.datetime().nullable(),
});
export type AccessToken = z.infer<typeof accessToken>;

export const tokenList = z.object({ tokens: z.array(accessToken) });

const line = (max: number) =>
  text(max)
    .trim()
    .min(1, 'must not be empty')
    .refine((value) => !/\p{Cc}/u.test(value), 'must not contain control characters');

export const newToken = strict({
  name: line(200),
  scope: z.enum(TOKEN_SCOPES, { error: scopeReason }),
  /** Limits a token of the scope `ingest` to one project. */
  project: line(400).optional(),
}).refine(({ scope, project }) => scope === 'ingest' || project === undefined, {
  path: ['project'],
  message: 'limits only a token of the scope ingest',
});
export type NewToken = z.infer<typeof newToken>;

export const createdToken = z.object({
  /** Shown only once: only its hash is stored. */
  secret: z.string(),
  token: accessToken,
});
export type CreatedToken = z.infer<typeof createdToken>;

export const revokedToken = z.object({ revoked: accessToken });
export type RevokedToken = z.infer<typeof revokedToken>;
