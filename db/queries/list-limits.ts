import type postgres from 'postgres';
import { findModelWindow, MODEL_WINDOWS } from '../../core/accounting/model-table';
import type { LimitList } from '../../core/api/settings';
import { existing } from './session-row';

/** Maximum number of distinct limits. Limits of the latest turns come first. */
const MOST_SEEN = 200;

/** The model table, and the latest limits of sessions: stated, learned or assumed. */
export async function listLimits(sql: postgres.ISql): Promise<LimitList> {
  const seen = await sql<(Omit<LimitList['seen'][number], 'lastTurnAt'> & { lastTurnAt: Date | null })[]>`
    select p.name as project, s.model, s.limit_tokens as tokens, s.limit_source as source, count(*)::int as sessions,
      max(s.last_turn_at) as "lastTurnAt"
    from sessions s join projects p on p.id = s.project_id
    where s.model is not null and s.limit_tokens is not null and ${existing(sql)}
    group by p.name, s.model, s.limit_tokens, s.limit_source
    order by max(s.last_turn_at) desc nulls last, s.model, s.limit_tokens limit ${MOST_SEEN}`;
  return {
    table: [...MODEL_WINDOWS],
    seen: seen.map((row) => ({
      ...row,
      date: row.source === 'table' ? (findModelWindow(row.model)?.date ?? null) : null,
      lastTurnAt: row.lastTurnAt?.toISOString() ?? null,
    })),
  };
}
