/** What a message says about an alert: the documented JSON of webhooks, and the source of every other format. */
import * as z from 'zod';
import { ALERT_CHANGES } from './alert-machine';
import { SEVERITIES } from './names';

const alertNotice = z.object({
  /** The alert's id, the same for its start, repeats and end. */
  alert: z.uuid(),
  change: z.enum([...ALERT_CHANGES, 'test']),
  severity: z.enum(SEVERITIES),
  rule: z.object({ id: z.uuid(), name: z.string() }),
  condition: z.string(),
  /** One sentence in English. */
  text: z.string(),
  firedAt: z.iso.datetime(),
  resolvedAt: z.iso.datetime().nullable(),
  /** Why the alert ended. */
  resolvedBy: z.string().nullable(),
  project: z.string(),
  runner: z.string(),
  /** Null: an alert of a runner. */
  session: z
    .object({
      id: z.uuid(),
      /** Null: the session has no title, or the channel leaves titles out. */
      title: z.string().nullable(),
      model: z.string().nullable(),
      branch: z.string().nullable(),
      pressure: z.number().nullable(),
      used: z.number().nullable(),
      limit: z.number().nullable(),
    })
    .nullable(),
});
export type AlertNotice = z.infer<typeof alertNotice>;

/** One message to a channel: one alert, or the alerts of a group. */
export interface AlertMessage {
  /** Idempotency key: the same for every attempt. */
  id: string;
  /** When the message was formed, ISO 8601. */
  at: string;
  notices: AlertNotice[];
  /** Address of the pages, without a slash at the end. */
  base: string;
}
