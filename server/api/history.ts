/** History of all sessions, and the projects there are. */
import { createRoute } from '@hono/zod-openapi';
import { historySessionsToCsv, historyToCsv } from '../../core/api/csv';
import {
  historyBody,
  historyFigures,
  historyParameters,
  historySession,
  historySessionList,
  historySessionsParameters,
} from '../../core/api/history';
import { noParameters } from '../../core/api/parameters';
import { projectList } from '../../core/api/responses';
import { listHistorySessions } from '../../db/queries/history/list-history-sessions';
import { loadHistory } from '../../db/queries/history/load-history';
import { listProjects } from '../../db/queries/list-projects';
import { allow, createApi, json, jsonOrFile, named, readErrors } from './api';
import { saveBody } from './files';

/** A file holds all groups, unless fewer were asked for. */
const ALL_GROUPS = 1_000;

named('HistoryFigures', historyFigures);
named('HistorySession', historySession);

export const historyApi = createApi();

historyApi.openapi(
  createRoute({
    method: 'get',
    path: '/history',
    operationId: 'getHistory',
    summary: 'Activity in a range of time by bucket: of all sessions, and by project, runner or model',
    middleware: allow('read'),
    request: { query: historyParameters },
    responses: { 200: jsonOrFile(named('History', historyBody)), ...readErrors },
  }),
  async (c) => {
    const { format, ...parameters } = c.req.valid('query');
    const groups = parameters.groups ?? (format === undefined ? undefined : ALL_GROUPS);
    const body = await loadHistory(c.var.sql, { ...parameters, groups }, c.var.clock.nowMs);
    if (format === undefined) return c.json(body, 200);
    const name = `history-${body.from.slice(0, 10)}-${body.to.slice(0, 10)}`;
    return saveBody(c, name, format, body, historyToCsv);
  },
);

historyApi.openapi(
  createRoute({
    method: 'get',
    path: '/history/sessions',
    operationId: 'listHistorySessions',
    summary: 'Sessions with boundaries in a range of time, the most thrashing first',
    middleware: allow('read'),
    request: { query: historySessionsParameters },
    responses: { 200: jsonOrFile(named('HistorySessionList', historySessionList)), ...readErrors },
  }),
  async (c) => {
    const { format, ...parameters } = c.req.valid('query');
    const body = await listHistorySessions(c.var.sql, parameters, c.var.clock.nowMs);
    if (format === undefined) return c.json(body, 200);
    return saveBody(c, 'history-sessions', format, body, historySessionsToCsv);
  },
);

historyApi.openapi(
  createRoute({
    method: 'get',
    path: '/projects',
    operationId: 'listProjects',
    summary: 'Projects that have sessions',
    middleware: allow('read'),
    request: { query: noParameters },
    responses: { 200: json(named('ProjectList', projectList)), ...readErrors },
  }),
  async (c) => c.json(await listProjects(c.var.sql), 200),
);
