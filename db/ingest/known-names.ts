/**
 * What never changes about names, remembered per pool: ids and months of sessions by key, ids of models. A
 * deleted session keeps its row, so an entry can be stale in one respect only: a session that was adopted
 * meanwhile, which its locked row tells.
 */
import type postgres from 'postgres';

export interface SessionKey {
  projectId: number;
  key: string;
}

export interface KnownSession {
  id: number;
  month: number;
}

export interface KnownNames {
  sessions: Map<string, KnownSession>;
  models: Map<string, number>;
  /** Adopted sessions: where their items go. */
  redirects: Map<number, KnownSession>;
}

const MAX_ENTRIES = 100_000;
const known = new WeakMap<postgres.Sql, KnownNames>();

export function namesOf(sql: postgres.Sql): KnownNames {
  let names = known.get(sql);
  if (!names) {
    names = { sessions: new Map(), models: new Map(), redirects: new Map() };
    known.set(sql, names);
  }
  for (const map of [names.sessions, names.models, names.redirects]) {
    if (map.size > MAX_ENTRIES) map.clear();
  }
  return names;
}

export function nameOf({ projectId, key }: SessionKey): string {
  return `${projectId} ${key}`;
}

/** Where items of this session go: itself, or the one that adopted it, however many steps on. */
export function followRedirects(names: KnownNames, session: KnownSession): KnownSession {
  let target = session;
  const seen = new Set<number>();
  for (
    let next = names.redirects.get(target.id);
    next && !seen.has(next.id);
    next = names.redirects.get(next.id)
  ) {
    seen.add(next.id);
    target = next;
  }
  return target;
}

/** Ids of model names, made where they are new; outside any transaction, so that it never waits for one. */
export async function learnModels(sql: postgres.Sql, names: Iterable<string>): Promise<Map<string, number>> {
  const { models } = namesOf(sql);
  const missing = [...new Set(names)].filter((name) => !models.has(name));
  if (missing.length > 0) {
    await sql`insert into models (name) select unnest(${missing}::text[]) on conflict do nothing`;
    const rows = await sql<{ id: number; name: string }[]>`
      select id, name from models where md5(name) in (select md5(unnest(${missing}::text[])))`;
    for (const row of rows) models.set(row.name, row.id);
  }
  return models;
}
