/** Sessions and what is derived of them: contexts, turns, series, figures. */
import { createRoute } from '@hono/zod-openapi';
import { compositionList } from '../../core/api/composition';
import { TURN_COLUMNS, turnToRow } from '../../core/api/csv';
import { evidence } from '../../core/api/evidence';
import { figures } from '../../core/api/figures';
import {
  figuresParameters,
  listContextsParameters,
  listSessionsParameters,
  listTurnsParameters,
  noParameters,
  seriesParameters,
  subAgentsParameters,
} from '../../core/api/parameters';
import { contextList, sessionList, turnList } from '../../core/api/responses';
import { series, seriesPoint, subAgentList } from '../../core/api/series';
import { context, deletedSession, session, turnRow } from '../../core/api/session';
import { deleteSession } from '../../db/delete-session';
import { listCompositions, listContexts } from '../../db/queries/contexts';
import { listSessions } from '../../db/queries/list-sessions';
import { listSubAgents } from '../../db/queries/list-sub-agents';
import { loadEvidence } from '../../db/queries/load-evidence';
import { loadFigures } from '../../db/queries/load-figures';
import { loadSeries } from '../../db/queries/load-series';
import { loadSession } from '../../db/queries/load-session';
import { listTurns } from '../../db/queries/turns';
import {
  allow,
  changeErrors,
  createApi,
  json,
  jsonOrFile,
  named,
  noSession,
  notFound,
  readErrors,
  requireSession,
  sessionErrors,
  sessionParams,
} from './api';
import { saveList } from './files';

named('Context', context);
named('Turn', turnRow);
named('SeriesPoint', seriesPoint);

export const sessionsApi = createApi();

sessionsApi.openapi(
  createRoute({
    method: 'get',
    path: '/sessions',
    operationId: 'listSessions',
    summary: 'Sessions, filtered and sorted, one page at a time',
    middleware: allow('read'),
    request: { query: listSessionsParameters },
    responses: { 200: json(named('SessionList', sessionList)), ...readErrors },
  }),
  async (c) => c.json(await listSessions(c.var.sql, c.req.valid('query'), c.var.clock), 200),
);

sessionsApi.openapi(
  createRoute({
    method: 'get',
    path: '/sessions/{id}',
    operationId: 'getSession',
    summary: 'One session',
    middleware: allow('read'),
    request: { params: sessionParams, query: noParameters },
    responses: { 200: json(named('Session', session)), ...sessionErrors },
  }),
  async (c) => {
    const { publicId } = await requireSession(c, c.req.valid('param').id);
    const loaded = await loadSession(c.var.sql, publicId, c.var.clock);
    if (!loaded) throw noSession();
    return c.json(loaded.session, 200);
  },
);

sessionsApi.openapi(
  createRoute({
    method: 'delete',
    path: '/sessions/{id}',
    operationId: 'deleteSession',
    summary: 'Delete a session permanently, with its turns, events and transcripts',
    middleware: allow('admin'),
    request: { params: sessionParams },
    responses: { 200: json(named('DeletedSession', deletedSession)), ...changeErrors },
  }),
  async (c) => {
    const { publicId } = await requireSession(c, c.req.valid('param').id);
    if (!(await deleteSession(c.var.sql, publicId))) throw noSession();
    return c.json({ deleted: publicId }, 200, { 'Cache-Control': 'no-store' });
  },
);

sessionsApi.openapi(
  createRoute({
    method: 'get',
    path: '/sessions/{id}/evidence',
    operationId: 'getEvidence',
    summary: 'The turns, limit and lines behind the numbers of a session, and the parts of its rates',
    middleware: allow('read'),
    request: { params: sessionParams, query: noParameters },
    responses: { 200: json(named('Evidence', evidence)), ...sessionErrors },
  }),
  async (c) => {
    const { publicId } = await requireSession(c, c.req.valid('param').id);
    const loaded = await loadEvidence(c.var.sql, publicId, c.var.clock);
    if (!loaded) throw noSession();
    return c.json(loaded, 200);
  },
);

sessionsApi.openapi(
  createRoute({
    method: 'get',
    path: '/sessions/{id}/contexts',
    operationId: 'listContexts',
    summary: 'Contexts of a session: the main chain first, then each sub-agent',
    middleware: allow('read'),
    request: { params: sessionParams, query: listContextsParameters },
    responses: { 200: json(named('ContextList', contextList)), ...sessionErrors },
  }),
  async (c) => {
    const ref = await requireSession(c, c.req.valid('param').id);
    const contexts = await listContexts(c.var.sql, ref, c.req.valid('query'));
    return c.json({ sessionId: ref.publicId, contexts }, 200);
  },
);

sessionsApi.openapi(
  createRoute({
    method: 'get',
    path: '/sessions/{id}/compositions',
    operationId: 'listCompositions',
    summary: 'Composition of the contexts of a session: the newest of each chain that has one',
    middleware: allow('read'),
    request: { params: sessionParams, query: listContextsParameters },
    responses: { 200: json(named('CompositionList', compositionList)), ...sessionErrors },
  }),
  async (c) => {
    const ref = await requireSession(c, c.req.valid('param').id);
    const compositions = await listCompositions(c.var.sql, ref, c.req.valid('query'));
    return c.json({ sessionId: ref.publicId, compositions }, 200);
  },
);

sessionsApi.openapi(
  createRoute({
    method: 'get',
    path: '/sessions/{id}/turns',
    operationId: 'listTurns',
    summary: 'Turns of a session in order, one page at a time',
    middleware: allow('read'),
    request: { params: sessionParams, query: listTurnsParameters },
    responses: { 200: jsonOrFile(named('TurnList', turnList)), ...sessionErrors },
  }),
  async (c) => {
    const { sql } = c.var;
    const { format, ...parameters } = c.req.valid('query');
    const ref = await requireSession(c, c.req.valid('param').id);
    if (format === undefined) return c.json(await listTurns(sql, ref, parameters), 200);
    return saveList(c, parameters, {
      name: 'turns',
      session: ref,
      format,
      head: TURN_COLUMNS,
      toRow: turnToRow,
      read: async (page) => {
        const { turns, nextCursor } = await listTurns(sql, ref, page);
        return { entries: turns, nextCursor };
      },
    });
  },
);

sessionsApi.openapi(
  createRoute({
    method: 'get',
    path: '/sessions/{id}/figures',
    operationId: 'getFigures',
    summary: 'Totals, rates and peaks of a session, or of one of its contexts, for comparison',
    middleware: allow('read'),
    request: { params: sessionParams, query: figuresParameters },
    responses: { 200: json(named('Figures', figures)), ...sessionErrors },
  }),
  async (c) => {
    const { context: index = null } = c.req.valid('query');
    const ref = await requireSession(c, c.req.valid('param').id);
    const body = await loadFigures(c.var.sql, ref, index, c.var.clock);
    if (!body) throw notFound('context', 'names no context of this session; /contexts lists them');
    return c.json(body, 200);
  },
);

sessionsApi.openapi(
  createRoute({
    method: 'get',
    path: '/sessions/{id}/series',
    operationId: 'getSeries',
    summary: 'Points of one chain in one lens, thinned to what a chart can show',
    middleware: allow('read'),
    request: { params: sessionParams, query: seriesParameters },
    responses: { 200: json(named('Series', series)), ...sessionErrors },
  }),
  async (c) => {
    const ref = await requireSession(c, c.req.valid('param').id);
    return c.json(await loadSeries(c.var.sql, ref, c.req.valid('query')), 200);
  },
);

sessionsApi.openapi(
  createRoute({
    method: 'get',
    path: '/sessions/{id}/sub-agents',
    operationId: 'listSubAgents',
    summary: 'The latest sub-agents active in a range, each with the points of its chain',
    middleware: allow('read'),
    request: { params: sessionParams, query: subAgentsParameters },
    responses: { 200: json(named('SubAgentList', subAgentList)), ...sessionErrors },
  }),
  async (c) => {
    const ref = await requireSession(c, c.req.valid('param').id);
    return c.json(await listSubAgents(c.var.sql, ref, c.req.valid('query')), 200);
  },
);
