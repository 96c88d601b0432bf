/** History of all sessions. */
import { historySessionsToCsv, historyToCsv } from '../../core/api/csv';
import {
  historyBody,
  historyFigures,
  historyParameters,
  historySession,
  historySessionList,
  historySessionsParameters,
} from '../../core/api/history';
import { listHistorySessions } from '../../db/queries/history/list-history-sessions';
import { loadHistory } from '../../db/queries/history/load-history';
import { addRoute } from './add-route';
import { createApi, named } from './api';
import { saveBody } from './files';

named('HistoryFigures', historyFigures);
named('HistorySession', historySession);

export const historyApi = createApi();

addRoute(historyApi, 'GET /history', {
  operationId: 'getHistory',
  summary: 'Activity in a range of time by bucket: of all sessions, and by project, runner or model',
  query: historyParameters,
  shape: named('History', historyBody),
  isFile: true,
  answer: async (c, { query }) => {
    const { format, ...parameters } = query;
    const groups = parameters.groups ?? (format === undefined ? undefined : Number.POSITIVE_INFINITY);
    const body = await loadHistory(c.var.sql, { ...parameters, groups }, c.var.clock.nowMs);
    if (format === undefined) return body;
    const name = `history-${body.from.slice(0, 10)}-${body.to.slice(0, 10)}`;
    return saveBody(c, name, format, body, historyToCsv);
  },
});

addRoute(historyApi, 'GET /history/sessions', {
  operationId: 'listHistorySessions',
  summary: 'Sessions with boundaries in a range of time, the most thrashing first',
  query: historySessionsParameters,
  shape: named('HistorySessionList', historySessionList),
  isFile: true,
  answer: async (c, { query }) => {
    const { format, ...parameters } = query;
    const body = await listHistorySessions(c.var.sql, parameters, c.var.clock.nowMs);
    if (format === undefined) return body;
    return saveBody(c, 'history-sessions', format, body, historySessionsToCsv);
  },
});
