/**
 * What the read API answers: one entry a path, from which requests are routed and the OpenAPI document is
 * made, so that the two cannot differ.
 */
import { z } from 'zod';
import { compositionList } from '../../core/api/composition';
import { evidence } from '../../core/api/evidence';
import { figures } from '../../core/api/figures';
import {
  historyBody,
  historyParameters,
  historySessionList,
  historySessionsParameters,
} from '../../core/api/history';
import { historySessionsToCsv, historyToCsv } from '../../core/api/history-csv';
import { noteList } from '../../core/api/notes';
import { notesToCsv } from '../../core/api/notes-csv';
import {
  type ExportFormat,
  figuresParameters,
  listContextsParameters,
  listEventsParameters,
  listNotesParameters,
  listSessionEventsParameters,
  listSessionsParameters,
  listTurnsParameters,
  seriesParameters,
  subAgentsParameters,
} from '../../core/api/parameters';
import {
  contextList,
  eventDetails,
  eventList,
  projectList,
  sessionList,
  turnList,
} from '../../core/api/responses';
import { series } from '../../core/api/series';
import { session } from '../../core/api/session';
import { EVENT_COLUMNS, eventToRow, TURN_COLUMNS, turnToRow } from '../../core/api/session-csv';
import { subAgentList } from '../../core/api/sub-agents';
import { findSession, type SessionRef } from '../../db/queries/find-session';
import { listHistorySessions } from '../../db/queries/history/list-history-sessions';
import { loadHistory } from '../../db/queries/history/load-history';
import { listCompositions } from '../../db/queries/list-compositions';
import { listContexts } from '../../db/queries/list-contexts';
import { listEvents } from '../../db/queries/list-events';
import { listProjects } from '../../db/queries/list-projects';
import { listSessionEvents } from '../../db/queries/list-session-events';
import { listSessions } from '../../db/queries/list-sessions';
import { listSubAgents } from '../../db/queries/list-sub-agents';
import { listTurns } from '../../db/queries/list-turns';
import { loadEventDetails } from '../../db/queries/load-event-details';
import { loadEvidence } from '../../db/queries/load-evidence';
import { loadFigures } from '../../db/queries/load-figures';
import { loadSeries } from '../../db/queries/load-series';
import { loadSession } from '../../db/queries/load-session';
import { listNotes } from '../../db/queries/notes/list-notes';
import { listAsFile } from './list-as-file';
import {
  type Answer,
  entry,
  type FoundEntry,
  findEntry,
  found,
  type ReadRequest,
  type RouteEntry,
  type StreamedFile,
} from './route-entry';
import { settingsRoutes } from './settings-routes';
import { transcriptContentsRoutes } from './transcript-contents-routes';
import { transcriptRoutes } from './transcript-routes';

const none = z.strictObject({});
const ALL_GROUPS = 1_000;

/** The same answer, or as a file where one was asked for. */
function foundAs<T>(
  name: string,
  format: ExportFormat | undefined,
  body: T,
  csv: (body: T) => string,
): Answer {
  if (format === undefined) return found(body);
  const isCsv = format === 'csv';
  return {
    type: 'file',
    file: {
      name: `barograph-${name}.${format}`,
      contentType: isCsv ? 'text/csv; charset=utf-8; header=present' : 'application/json; charset=utf-8',
      text: isCsv ? csv(body) : `${JSON.stringify(body, null, 2)}\n`,
    },
  };
}

/** Answers about one session: an id that was adopted is sent to the session its items moved to. */
function about(request: ReadRequest, body: (session: SessionRef) => Promise<unknown>): Promise<Answer> {
  return ofSession(request, async (ref) => found(await body(ref)));
}

/** As `about`, with a file. */
function saved(request: ReadRequest, file: (session: SessionRef) => Promise<StreamedFile>): Promise<Answer> {
  return ofSession(request, async (ref) => ({ type: 'stream', file: await file(ref) }));
}

async function ofSession(
  { sql, id }: ReadRequest,
  answer: (session: SessionRef) => Promise<Answer>,
): Promise<Answer> {
  const ref = await findSession(sql, id);
  if (!ref) return { type: 'not_found' };
  if (ref.publicId !== id.toLowerCase()) return { type: 'moved', id: ref.publicId };
  return answer(ref);
}

export const routes: readonly RouteEntry[] = [
  entry({
    path: '/sessions',
    operation: 'listSessions',
    summary: 'Sessions, filtered and sorted, a page at a time',
    parameters: listSessionsParameters,
    response: sessionList,
    answer: async ({ sql, clock }, parameters) => found(await listSessions(sql, parameters, clock)),
  }),
  entry({
    path: '/sessions/{id}',
    operation: 'getSession',
    summary: 'One session',
    parameters: none,
    response: session,
    answer: async ({ sql, clock, id }) => {
      const loaded = await loadSession(sql, id, clock);
      if (!loaded) return { type: 'not_found' };
      if (loaded.session.id !== id.toLowerCase()) return { type: 'moved', id: loaded.session.id };
      return found(loaded.session);
    },
  }),
  entry({
    path: '/sessions/{id}/evidence',
    operation: 'getEvidence',
    summary: 'What the numbers of a session stand on: its turns, limit, lines, and the parts of its rates',
    parameters: none,
    response: evidence,
    answer: async ({ sql, clock, id }) => {
      const loaded = await loadEvidence(sql, id, clock);
      if (!loaded) return { type: 'not_found' };
      if (loaded.session.id !== id.toLowerCase()) return { type: 'moved', id: loaded.session.id };
      return found(loaded);
    },
  }),
  entry({
    path: '/sessions/{id}/contexts',
    operation: 'listContexts',
    summary: 'Contexts of a session: the main chain first, then each sub-agent',
    parameters: listContextsParameters,
    response: contextList,
    answer: (request, parameters) =>
      about(request, async (ref) => ({
        sessionId: ref.publicId,
        contexts: await listContexts(request.sql, ref, parameters),
      })),
  }),
  entry({
    path: '/sessions/{id}/compositions',
    operation: 'listCompositions',
    summary: 'What the contexts of a session are made of: the newest composition of each chain that has one',
    parameters: listContextsParameters,
    response: compositionList,
    answer: (request, parameters) =>
      about(request, async (ref) => ({
        sessionId: ref.publicId,
        compositions: await listCompositions(request.sql, ref, parameters),
      })),
  }),
  entry({
    path: '/sessions/{id}/turns',
    operation: 'listTurns',
    summary: 'Turns of a session in order, a page at a time',
    parameters: listTurnsParameters,
    response: turnList,
    answer: (request, { format, ...parameters }) => {
      if (format === undefined) return about(request, (ref) => listTurns(request.sql, ref, parameters));
      return saved(request, (ref) =>
        listAsFile(parameters, {
          name: 'turns',
          session: ref,
          format,
          head: TURN_COLUMNS,
          toRow: turnToRow,
          read: async (page) => {
            const { turns, nextCursor } = await listTurns(request.sql, ref, page);
            return { entries: turns, nextCursor };
          },
        }),
      );
    },
  }),
  entry({
    path: '/sessions/{id}/events',
    operation: 'listSessionEvents',
    summary: 'Events of a session, the newest first',
    parameters: listSessionEventsParameters,
    response: eventList,
    answer: (request, { format, ...parameters }) => {
      if (format === undefined) {
        return about(request, (ref) => listSessionEvents(request.sql, ref, parameters));
      }
      return saved(request, (ref) =>
        listAsFile(parameters, {
          name: 'events',
          session: ref,
          format,
          head: EVENT_COLUMNS,
          toRow: eventToRow,
          read: async (page) => {
            const { events, nextCursor } = await listSessionEvents(request.sql, ref, page, { whole: true });
            return { entries: events, nextCursor };
          },
        }),
      );
    },
  }),
  entry({
    path: '/sessions/{id}/notes',
    operation: 'listNotes',
    scopes: ['read', 'admin'],
    summary: 'Notes that operators wrote at moments of a session, in the order of these moments',
    parameters: listNotesParameters,
    response: noteList,
    answer: (request, { format }) =>
      ofSession(request, async (ref) =>
        foundAs(`notes-${ref.publicId}`, format, await listNotes(request.sql, ref), notesToCsv),
      ),
  }),
  entry({
    path: '/sessions/{id}/figures',
    operation: 'getFigures',
    summary: 'What a session, or one context of it, came to: the figures that two of them are compared by',
    parameters: figuresParameters,
    response: figures,
    answer: (request, { context = null }) =>
      ofSession(request, async (ref) => {
        const body = await loadFigures(request.sql, ref, context, request.clock);
        return body === null
          ? {
              type: 'missing',
              field: 'context',
              reason: 'names no context of this session; /contexts lists them',
            }
          : found(body);
      }),
  }),
  entry({
    path: '/sessions/{id}/series',
    operation: 'getSeries',
    summary: 'Points of one chain in one lens, thinned to what a chart can show',
    parameters: seriesParameters,
    response: series,
    answer: (request, parameters) => about(request, (ref) => loadSeries(request.sql, ref, parameters)),
  }),
  entry({
    path: '/sessions/{id}/sub-agents',
    operation: 'listSubAgents',
    summary: 'Sub-agents at work in a range, the last of them, each with the points of its chain',
    parameters: subAgentsParameters,
    response: subAgentList,
    answer: (request, parameters) => about(request, (ref) => listSubAgents(request.sql, ref, parameters)),
  }),
  entry({
    path: '/events',
    operation: 'listEvents',
    summary: 'Events of all sessions by time, the newest first',
    parameters: listEventsParameters,
    response: eventList,
    answer: async ({ sql }, parameters) => found(await listEvents(sql, parameters)),
  }),
  entry({
    path: '/events/{id}',
    operation: 'getEvent',
    summary: 'One event whole: its texts in full, and of a compaction the calls around it',
    parameters: none,
    response: eventDetails,
    answer: async ({ sql, id }) => {
      const body = await loadEventDetails(sql, id);
      return body === null
        ? { type: 'missing', field: 'id', reason: 'there is no such event: it is unknown or did not happen' }
        : found(body);
    },
  }),
  entry({
    path: '/history',
    operation: 'getHistory',
    summary:
      'What happened in a range of time, slot by slot: of all sessions, and by project, runner or model',
    parameters: historyParameters,
    response: historyBody,
    answer: async ({ sql, clock }, { format, ...parameters }) => {
      // A file holds all groups, unless fewer were asked for.
      const groups = parameters.groups ?? (format === undefined ? undefined : ALL_GROUPS);
      const body = await loadHistory(sql, { ...parameters, groups }, clock.nowMs);
      return foundAs(`history-${body.from.slice(0, 10)}-${body.to.slice(0, 10)}`, format, body, historyToCsv);
    },
  }),
  entry({
    path: '/history/sessions',
    operation: 'listHistorySessions',
    summary: 'Sessions that met boundaries in a range of time, those that thrashed most first',
    parameters: historySessionsParameters,
    response: historySessionList,
    answer: async ({ sql, clock }, { format, ...parameters }) => {
      const body = await listHistorySessions(sql, parameters, clock.nowMs);
      return foundAs('history-sessions', format, body, historySessionsToCsv);
    },
  }),
  entry({
    path: '/projects',
    operation: 'listProjects',
    summary: 'Projects that have sessions',
    parameters: none,
    response: projectList,
    answer: async ({ sql }) => found(await listProjects(sql)),
  }),
  ...settingsRoutes,
  ...transcriptRoutes,
  ...transcriptContentsRoutes,
];

/** The entry of a path below `/api/v1` and the id or name in it; null: there is nothing. */
export function findRoute(path: string): FoundEntry<RouteEntry> | null {
  return findEntry(routes, path);
}
