/** Bodies of the read API that are more than one of its things. */
import { z } from 'zod';
import { context, event, session, turnRow } from './session';

const nextCursor = z.string().nullable();

export const sessionList = z.object({
  sessions: z.array(session),
  /** Sessions that match, on all pages. */
  total: z.number(),
  /** Pass it as `cursor` for the next page; null on the last one. */
  nextCursor,
});
export type SessionList = z.infer<typeof sessionList>;

export const contextList = z.object({ sessionId: z.uuid(), contexts: z.array(context) });
export type ContextList = z.infer<typeof contextList>;

export const turnList = z.object({ sessionId: z.uuid(), turns: z.array(turnRow), nextCursor });
export type TurnList = z.infer<typeof turnList>;

export const eventList = z.object({ events: z.array(event), nextCursor });
export type EventList = z.infer<typeof eventList>;

/** One event whole: texts in full. */
export const eventDetails = z.object({
  event,
  /** Of a compaction that ended a context: its chain's calls around it. Null of every other event. */
  calls: z
    .object({
      /** The last call with the chain's history before it, and the first after it; null: there is none. */
      before: turnRow.nullable(),
      after: turnRow.nullable(),
      /**
       * The call that wrote the summary, where a source reported it: the client's own file of it (chain `acompact-…`),
       * or else the largest side call between the two that carried at least half of the context. Null: none did.
       */
      summary: turnRow.nullable(),
    })
    .nullable(),
});
export type EventDetails = z.infer<typeof eventDetails>;

export const projectList = z.object({
  projects: z.array(
    z.object({ name: z.string(), sessions: z.number(), lastActivityAt: z.iso.datetime().nullable() }),
  ),
});
export type ProjectList = z.infer<typeof projectList>;

/** What a list of sessions can be filtered by. */
export interface FilterChoices {
  projects: string[];
  runners: string[];
  models: string[];
}

export const errorBody = z.object({
  error: z.object({
    code: z.string(),
    /** Name of the parameter at fault; empty when it is none. */
    field: z.string(),
    /** What is wrong and what would be right, in a sentence. */
    reason: z.string(),
  }),
});
export type ErrorBody = z.infer<typeof errorBody>;
