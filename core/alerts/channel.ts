/** Shapes of channels. Secrets are in their own object, which no answer of the API contains. */
import * as z from 'zod';
import { oneOf, strict, text } from '../api/parameters';
import type { ChannelKind } from './names';

const address = (description: string) =>
  text(2_000)
    .refine((value) => {
      const url = URL.canParse(value) ? new URL(value) : null;
      return url !== null && ['http:', 'https:'].includes(url.protocol) && url.username + url.password === '';
    }, 'must be an http:// or https:// URL without a user name')
    .describe(description);
const secret = text(2_000);
const mail = text(320).regex(/^[^\s@<>,;]+@[^\s@<>,;]+$/, 'must be an e-mail address');

/**
 * Settings and secrets by kind. The address of a chat's webhook is a secret, because whoever has the address can post.
 */
export const CHANNEL_KINDS = {
  webhook: {
    config: strict({ url: address('Receiver of the JSON') }),
    secret: strict({
      key: secret.min(16, 'must have at least 16 characters').describe('Key of the signature'),
    }),
  },
  slack: { config: strict({}), secret: strict({ url: address('Incoming webhook') }) },
  discord: { config: strict({}), secret: strict({ url: address('Webhook') }) },
  teams: { config: strict({}), secret: strict({ url: address('Workflow') }) },
  pagerduty: {
    config: strict({ url: address('Events API v2').default('https://events.pagerduty.com/v2/enqueue') }),
    secret: strict({ routingKey: secret.min(1).describe('Integration key') }),
  },
  ntfy: {
    config: strict({ url: address('Server').default('https://ntfy.sh'), topic: text(64).min(1) }),
    secret: strict({ token: secret.default('') }),
  },
  email: {
    config: strict({
      host: text(255).min(1),
      port: z.int().min(1).max(65_535).default(587),
      /** `tls`: from the first byte. `starttls`: required after the greeting. `none`: no encryption. */
      security: oneOf(['starttls', 'tls', 'none']).default('starttls'),
      user: text(255).default(''),
      from: mail,
      to: z.array(mail).min(1, 'must have an address').max(20),
    }),
    secret: strict({ password: secret.default('') }),
  },
  alertmanager: {
    config: strict({ url: address('Address of Alertmanager, without /api/v2') }),
    secret: strict({ token: secret.default('') }),
  },
  browser: { config: strict({}), secret: strict({}) },
  command: { config: strict({}), secret: strict({}) },
} as const satisfies Record<ChannelKind, { config: z.ZodType; secret: z.ZodType }>;

export type ChannelConfig<K extends ChannelKind = ChannelKind> = z.infer<(typeof CHANNEL_KINDS)[K]['config']>;
export type ChannelSecret<K extends ChannelKind = ChannelKind> = z.infer<(typeof CHANNEL_KINDS)[K]['secret']>;

/** A channel with its secret, for the process that sends. */
export type OpenChannel = {
  [K in ChannelKind]: { kind: K; config: ChannelConfig<K>; secret: ChannelSecret<K> };
}[ChannelKind];
