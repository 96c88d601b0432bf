import type postgres from 'postgres';
import type { SubAgentsParameters } from '../../core/api/parameters';
import type { SubAgent, SubAgentList } from '../../core/api/series';
import { milliseconds } from '../tables';
import type { SessionRef } from './find-session';
import { loadSeries } from './load-series';

/** Default maximum number of sub-agents, and of points per sub-agent. */
const DEFAULT_AGENTS = 24;
const DEFAULT_AGENT_POINTS = 60;
/** Number of chains that are read at a time, because other requests share the pool. */
const AT_A_TIME = 4;

type ChainRow = Omit<SubAgent, 'points'> & { total: number };

/** The last `limit` sub-agents that were active in a range, each with its points. */
export async function listSubAgents(
  sql: postgres.ISql,
  session: SessionRef,
  parameters: SubAgentsParameters = {},
): Promise<SubAgentList> {
  const { from, to, limit = DEFAULT_AGENTS, points = DEFAULT_AGENT_POINTS } = parameters;
  const lens = parameters.lens ?? session.lens;
  const started = to === undefined ? sql`` : sql`and first.at <= ${new Date(to)}`;
  const ended = from === undefined ? sql`` : sql`and last.at >= ${new Date(from)}`;
  const edge = (order: postgres.Fragment) => sql`
    select t.chart_time as at from turns t
    where t.session_id = ch.session_id and t.chain = ch.chain and t.chain <> 0
    order by t.position ${order} limit 1`;
  const rows = await sql<ChainRow[]>`
    select ch.key as chain, coalesce((ch.fold->>'turnCount')::int, 0) as "turnCount",
      ${sql.unsafe(milliseconds('first.at'))} as "firstAt", ${sql.unsafe(milliseconds('last.at'))} as "lastAt",
      count(*) over ()::int as total
    from chains ch
    join lateral (${edge(sql`asc`)}) first on true
    join lateral (${edge(sql`desc`)}) last on true
    where ch.session_id = ${session.id} and ch.chain <> 0 ${started} ${ended}
    order by last.at desc, ch.chain desc
    limit ${limit}`;
  const found = rows.toSorted((a, b) => a.firstAt - b.firstAt || (a.chain < b.chain ? -1 : 1));
  const agents: SubAgent[] = [];
  for (let index = 0; index < found.length; index += AT_A_TIME) {
    const read = found.slice(index, index + AT_A_TIME).map(async ({ total: _, ...agent }) => {
      const span = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
      const series = await loadSeries(sql, session, { chain: agent.chain, lens, points, ...span });
      const shown = series.points.map(({ t, n, context, used, limit }) => ({ t, n, context, used, limit }));
      return { ...agent, points: shown };
    });
    agents.push(...(await Promise.all(read)));
  }
  return { sessionId: session.publicId, lens, version: session.version, total: rows[0]?.total ?? 0, agents };
}
