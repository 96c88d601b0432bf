/** Events of one session and of all. */
import { createRoute } from '@hono/zod-openapi';
import { z } from 'zod';
import { EVENT_COLUMNS, eventToRow } from '../../core/api/csv';
import { listEventsParameters, listSessionEventsParameters, noParameters } from '../../core/api/parameters';
import { eventDetails, eventList } from '../../core/api/responses';
import { event } from '../../core/events/event';
import { listEvents, listSessionEvents } from '../../db/queries/events';
import { loadEventDetails } from '../../db/queries/load-event-details';
import {
  allow,
  createApi,
  json,
  jsonOrFile,
  named,
  notFound,
  readErrors,
  requireSession,
  sessionErrors,
  sessionParams,
} from './api';
import { saveList } from './files';

named('Event', event);
const events = named('EventList', eventList);

export const eventsApi = createApi();

eventsApi.openapi(
  createRoute({
    method: 'get',
    path: '/events',
    operationId: 'listEvents',
    summary: 'Events of all sessions by time, the newest first',
    middleware: allow('read'),
    request: { query: listEventsParameters },
    responses: { 200: json(events), ...readErrors },
  }),
  async (c) => c.json(await listEvents(c.var.sql, c.req.valid('query')), 200),
);

eventsApi.openapi(
  createRoute({
    method: 'get',
    path: '/events/{id}',
    operationId: 'getEvent',
    summary: 'One event with its texts in full; of a compaction also the calls around it',
    middleware: allow('read'),
    request: {
      params: z.object({ id: z.string().describe('Id of an event, as lists show it') }),
      query: noParameters,
    },
    responses: { 200: json(named('EventDetails', eventDetails)), ...readErrors },
  }),
  async (c) => {
    const body = await loadEventDetails(c.var.sql, c.req.valid('param').id);
    if (!body) throw notFound('id', 'there is no such event: it is unknown or did not happen');
    return c.json(body, 200);
  },
);

eventsApi.openapi(
  createRoute({
    method: 'get',
    path: '/sessions/{id}/events',
    operationId: 'listSessionEvents',
    summary: 'Events of a session, the newest first',
    middleware: allow('read'),
    request: { params: sessionParams, query: listSessionEventsParameters },
    responses: { 200: jsonOrFile(events), ...sessionErrors },
  }),
  async (c) => {
    const { sql } = c.var;
    const { format, ...parameters } = c.req.valid('query');
    const ref = await requireSession(c, c.req.valid('param').id);
    if (format === undefined) return c.json(await listSessionEvents(sql, ref, parameters), 200);
    return saveList(c, parameters, {
      name: 'events',
      session: ref,
      format,
      head: EVENT_COLUMNS,
      toRow: eventToRow,
      read: async (page) => {
        const list = await listSessionEvents(sql, ref, page, { whole: true });
        return { entries: list.events, nextCursor: list.nextCursor };
      },
    });
  },
);
