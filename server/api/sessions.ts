/** Sessions with their contexts, turns, series and figures. */
import { compositionList } from '../../core/api/composition';
import { TURN_COLUMNS } from '../../core/api/csv';
import { evidence } from '../../core/api/evidence';
import { figures } from '../../core/api/figures';
import {
  figuresParameters,
  listContextsParameters,
  listSessionsParameters,
  listTurnsParameters,
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
import { recordAudit } from '../../db/transcripts/record-audit';
import { addRoute, addSessionRead, sessionParams } from './add-route';
import { createApi, named, noSession, notFound, requireSession } from './api';
import { saveList } from './files';

named('Context', context);
named('Turn', turnRow);
named('SeriesPoint', seriesPoint);

export const sessionsApi = createApi();

addRoute(sessionsApi, 'GET /sessions', {
  operationId: 'listSessions',
  summary: 'Sessions, filtered and sorted, one page at a time',
  query: listSessionsParameters,
  shape: named('SessionList', sessionList),
  answer: async (c, { query }) => listSessions(c.var.sql, query, c.var.clock),
});

addSessionRead(sessionsApi, '', {
  operationId: 'getSession',
  summary: 'One session',
  shape: named('Session', session),
  answer: async (c, { publicId }) => {
    const loaded = await loadSession(c.var.sql, publicId, c.var.clock);
    if (!loaded) throw noSession();
    return loaded.session;
  },
});

addRoute(sessionsApi, 'DELETE /sessions/{id}', {
  operationId: 'deleteSession',
  summary: 'Delete a session permanently, with its turns, events and transcripts',
  shape: named('DeletedSession', deletedSession),
  params: sessionParams,
  answer: async (c, { params }) => {
    const { publicId, project } = await requireSession(c, params.id);
    if (!(await deleteSession(c.var.sql, publicId))) throw noSession();
    const { sql, actor } = c.var;
    await recordAudit(sql, { actor, action: 'session_deleted', project, detail: { name: publicId } });
    return { deleted: publicId };
  },
});

addSessionRead(sessionsApi, '/evidence', {
  operationId: 'getEvidence',
  summary: 'The turns, limit and lines behind the numbers of a session, and the parts of its rates',
  shape: named('Evidence', evidence),
  answer: async (c, { publicId }) => {
    const loaded = await loadEvidence(c.var.sql, publicId, c.var.clock);
    if (!loaded) throw noSession();
    return loaded;
  },
});

addSessionRead(sessionsApi, '/contexts', {
  operationId: 'listContexts',
  summary: 'Contexts of a session: the main chain first, then each sub-agent',
  query: listContextsParameters,
  shape: named('ContextList', contextList),
  answer: async (c, ref, query) => {
    const contexts = await listContexts(c.var.sql, ref, query);
    return { sessionId: ref.publicId, contexts };
  },
});

addSessionRead(sessionsApi, '/compositions', {
  operationId: 'listCompositions',
  summary: 'The newest composition of each chain of a session',
  query: listContextsParameters,
  shape: named('CompositionList', compositionList),
  answer: async (c, ref, query) => {
    const compositions = await listCompositions(c.var.sql, ref, query);
    return { sessionId: ref.publicId, compositions };
  },
});

addSessionRead(sessionsApi, '/turns', {
  operationId: 'listTurns',
  summary: 'Turns of a session in order, one page at a time',
  query: listTurnsParameters,
  shape: named('TurnList', turnList),
  isFile: true,
  answer: async (c, ref, query) => {
    const { sql } = c.var;
    const { format, ...parameters } = query;
    if (format === undefined) return listTurns(sql, ref, parameters);
    return saveList(c, parameters, {
      name: 'turns',
      session: ref,
      format,
      columns: TURN_COLUMNS,
      read: async (page) => {
        const { turns, nextCursor } = await listTurns(sql, ref, page);
        return { entries: turns, nextCursor };
      },
    });
  },
});

addSessionRead(sessionsApi, '/figures', {
  operationId: 'getFigures',
  summary: 'Totals, rates and peaks of a session, or of one of its contexts, for comparison',
  query: figuresParameters,
  shape: named('Figures', figures),
  answer: async (c, ref, query) => {
    const { context: index = null } = query;
    const body = await loadFigures(c.var.sql, ref, index, c.var.clock);
    if (!body) throw notFound('context', 'names no context of this session; /contexts lists them');
    return body;
  },
});

addSessionRead(sessionsApi, '/series', {
  operationId: 'getSeries',
  summary: 'Points of one chain in one lens, thinned to what a chart can show',
  query: seriesParameters,
  shape: named('Series', series),
  answer: async (c, ref, query) => {
    return await loadSeries(c.var.sql, ref, query);
  },
});

addSessionRead(sessionsApi, '/sub-agents', {
  operationId: 'listSubAgents',
  summary: 'The latest sub-agents active in a range, each with the points of its chain',
  query: subAgentsParameters,
  shape: named('SubAgentList', subAgentList),
  answer: async (c, ref, query) => {
    return listSubAgents(c.var.sql, ref, query);
  },
});
