import * as z from 'zod';
import { event } from '../events/event';
import { context, session, turnRow } from './session';

const nextCursor = z.string().nullable();

export const sessionList = z.object({
  sessions: z.array(session),
  total: z.number(),
  /** The `cursor` of the next page; null on the last page. */
  nextCursor,
});
export type SessionList = z.infer<typeof sessionList>;

export const contextList = z.object({ sessionId: z.uuid(), contexts: z.array(context) });
export type ContextList = z.infer<typeof contextList>;

export const turnList = z.object({ sessionId: z.uuid(), turns: z.array(turnRow), nextCursor });
export type TurnList = z.infer<typeof turnList>;

export const eventList = z.object({ events: z.array(event), nextCursor });
export type EventList = z.infer<typeof eventList>;

export const eventDetails = z.object({
  event,
  /** The calls around a compaction that ended a context; null for every other event. */
  calls: z
    .object({
      /** The last call with the chain's history before the compaction, and the first after it. Null: no such call. */
      before: turnRow.nullable(),
      after: turnRow.nullable(),
      /** The call that wrote the summary: the client's own (`acompact-…`), or the largest side call between the two. */
      summary: turnRow.nullable(),
    })
    .nullable(),
});
export type EventDetails = z.infer<typeof eventDetails>;

export interface FilterChoices {
  projects: string[];
  runners: string[];
  models: string[];
}

export const errorBody = z.object({
  error: z.object({
    code: z.string(),
    /** Name of the invalid parameter, or empty. */
    field: z.string(),
    reason: z.string(),
  }),
});
export type ErrorBody = z.infer<typeof errorBody>;
