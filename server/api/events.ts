/** Events of one session and of all. */
import * as z from 'zod';
import { EVENT_COLUMNS } from '../../core/api/csv';
import { listEventsParameters, listSessionEventsParameters } from '../../core/api/parameters';
import { eventDetails, eventList } from '../../core/api/responses';
import { event } from '../../core/events/event';
import { listEvents, listSessionEvents } from '../../db/queries/events';
import { loadEventDetails } from '../../db/queries/load-event-details';
import { addRoute, addSessionRead } from './add-route';
import { createApi, named, notFound } from './api';
import { saveList } from './files';

named('Event', event);
const events = named('EventList', eventList);

export const eventsApi = createApi();

addRoute(eventsApi, 'GET /events', {
  operationId: 'listEvents',
  summary: 'Events of all sessions by time, the newest first',
  query: listEventsParameters,
  shape: events,
  answer: async (c, { query }) => listEvents(c.var.sql, query),
});

addRoute(eventsApi, 'GET /events/{id}', {
  operationId: 'getEvent',
  summary: 'One event with its texts in full; of a compaction also the calls around it',
  shape: named('EventDetails', eventDetails),
  params: z.object({ id: z.string().describe('Id of an event, as lists show it') }),
  answer: async (c, { params }) => {
    const body = await loadEventDetails(c.var.sql, params.id);
    if (!body) throw notFound('id', 'there is no such event: it is unknown or was retracted');
    return body;
  },
});

addSessionRead(eventsApi, '/events', {
  operationId: 'listSessionEvents',
  summary: 'Events of a session, the newest first',
  query: listSessionEventsParameters,
  shape: events,
  isFile: true,
  answer: async (c, ref, query) => {
    const { sql } = c.var;
    const { format, ...parameters } = query;
    if (format === undefined) return listSessionEvents(sql, ref, parameters);
    return saveList(c, parameters, {
      name: 'events',
      session: ref,
      format,
      columns: EVENT_COLUMNS,
      read: async (page) => {
        const list = await listSessionEvents(sql, ref, page, { whole: true });
        return { entries: list.events, nextCursor: list.nextCursor };
      },
    });
  },
});
