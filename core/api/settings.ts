/** Settings that operators change: bodies that are asked with and answered. */
import { z } from 'zod';
import { HIGHEST_LINE, THRESHOLD_NAMES } from '../accounting/threshold-problem';
import { TOKEN_SCOPES } from '../identity/token-scopes';
import { text } from './parameters';
import { limitSource } from './session';
import { ownTranscriptSettings, transcriptSettings } from './transcript-settings';

const lineReason = `must be a share of the limit above 0 and at most ${HIGHEST_LINE}, as in 0.75, or null for the default`;
const share = z.number();
const eachLine = <T extends z.ZodType>(of: T) =>
  z.strictObject(
    Object.fromEntries(THRESHOLD_NAMES.map((name) => [name, of])) as Record<
      (typeof THRESHOLD_NAMES)[number],
      T
    >,
  );

/** Settings of a project; lines are shares of the limit. */
export const projectSettings = z.object({
  project: z.string(),
  /** Of what is stored; pass it with a change, which is refused when somebody else changed it meanwhile. */
  version: z.string(),
  /** What the project sets itself; null: the default holds. */
  own: eachLine(share.nullable()),
  /** What is in force. */
  thresholds: eachLine(share),
  /** What it takes in of transcripts, and how long it keeps them. */
  transcripts: transcriptSettings,
});
export type ProjectSettings = z.infer<typeof projectSettings>;

export const projectSettingsChange = z.strictObject({
  version: z.string('must be the `version` that the settings were read with').max(100),
  /** Lines that are left out stay; null goes back to the default. */
  thresholds: eachLine(z.number(lineReason).gt(0, lineReason).lte(HIGHEST_LINE, lineReason).nullable())
    .partial()
    .optional(),
  /** As with lines. Retention is applied within minutes. */
  transcripts: ownTranscriptSettings.partial().optional(),
});
export type ProjectSettingsChange = z.infer<typeof projectSettingsChange>;

/** Context windows: what is known of models, and what sessions are measured against. */
export const limitList = z.object({
  table: z.array(
    z.object({
      models: z.string(),
      tokens: z.number(),
      /** A larger window the same models are offered with. */
      larger: z.number().nullable(),
      source: z.string(),
      /** Day the source was read. */
      date: z.string(),
    }),
  ),
  seen: z.array(
    z.object({
      model: z.string(),
      tokens: z.number(),
      source: limitSource,
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
  createdAt: z.iso.datetime(),
  /** Exact to a minute; null: never. */
  lastUsedAt: z.iso.datetime().nullable(),
});
export type AccessToken = z.infer<typeof accessToken>;

export const tokenList = z.object({ tokens: z.array(accessToken) });
export type TokenList = z.infer<typeof tokenList>;

export const newToken = z.strictObject({
  name: text(200)
    .trim()
    .min(1, 'must say whose it is')
    .refine((name) => !/\p{Cc}/u.test(name), 'must not contain control characters'),
  scope: z.enum(TOKEN_SCOPES, { error: scopeReason }),
});
export type NewToken = z.infer<typeof newToken>;

export const createdToken = z.object({
  /** Shown this once: only its hash is kept. */
  secret: z.string(),
  token: accessToken,
});
export type CreatedToken = z.infer<typeof createdToken>;

export const revokedToken = z.object({ revoked: accessToken });
export type RevokedToken = z.infer<typeof revokedToken>;
