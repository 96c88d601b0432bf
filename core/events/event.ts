import * as z from 'zod';
import { EVENT_DETAILS, type EventData, type EventKind } from './details';
import { EVENT_KINDS, KIND_DESCRIPTIONS, KINDS } from './kinds';

const head = z.object({
  id: z.string(),
  sessionId: z.uuid(),
  sessionTitle: z.string().nullable(),
  sessionKey: z.string(),
  project: z.string(),
  chain: z.string(),
  context: z.number(),
  at: z.iso.datetime(),
  /** Number of the chain's turn before the event. */
  turn: z.number(),
  /** Full length of each text of `detail` that a list shortens. `/events/{id}` has the full texts. */
  cut: z.record(z.string(), z.number()).optional(),
  revision: z.number(),
});

export type SessionEvent<K extends EventKind = EventKind> = z.infer<typeof head> & EventData<K>;

const shapes = EVENT_KINDS.map((kind) =>
  head
    .extend({ kind: z.literal(kind), detail: EVENT_DETAILS[kind] })
    .meta({ description: `${KIND_DESCRIPTIONS[kind]} Severity: ${KINDS[kind].severity}.` }),
);

export const event = z.discriminatedUnion(
  'kind',
  shapes as [(typeof shapes)[number], ...typeof shapes],
) as unknown as z.ZodType<SessionEvent>;
