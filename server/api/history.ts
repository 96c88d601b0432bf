/** History of all sessions. */
import { historySessionsToCsv, historyToCsv } from '../../core/api/csv';
import {
  delay,
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
import { createApi, named, readBehind } from './api';
import { readPaced, saveBody } from './files';

named('HistoryFigures', historyFigures);
named('HistorySession', historySession);

export const historyApi = createApi();

addRoute(historyApi, 'GET /history', {
  operationId: 'getHistory',
  summary: 'Activity in a range of time by bucket: of all sessions, and by project, runner or model',
  query: historyParameters,
  shape: named('History', historyBody.extend(delay.shape)),
  isFile: true,
  answer: async (c, { query }) => {
    const { format, ...parameters } = query;
    const groups = parameters.groups ?? (format === undefined ? undefined : Number.POSITIVE_INFINITY);
    const load = () => readBehind(c, (sql) => loadHistory(sql, { ...parameters, groups }, c.var.clock.nowMs));
    if (format === undefined) return load();
    const body = await readPaced(load);
    const name = `history-${body.from.slice(0, 10)}-${body.to.slice(0, 10)}`;
    return saveBody(c, name, format, body, historyToCsv);
  },
});

addRoute(historyApi, 'GET /history/sessions', {
  operationId: 'listHistorySessions',
  summary: 'Sessions with boundaries in a range of time, the most thrashing first',
  query: historySessionsParameters,
  shape: named('HistorySessionList', historySessionList.extend(delay.shape)),
  isFile: true,
  answer: async (c, { query }) => {
    const { format, ...parameters } = query;
    const load = () => readBehind(c, (sql) => listHistorySessions(sql, parameters, c.var.clock.nowMs));
    if (format === undefined) return load();
    return saveBody(c, 'history-sessions', format, await readPaced(load), historySessionsToCsv);
  },
});
