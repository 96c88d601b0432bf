/** Queries for the database of OpenCode: version 1 since 1.2, version 2, or one that version 2 took over from version 1. */
import type { DatabaseFormat, DatabaseQueries, DatabaseSchema } from '../agent-format';
import { asFields } from '../fields';

const SESSION = ['id', 'parent_id', 'directory', 'title', 'version', 'time_created', 'time_updated'];
const FIRST = {
  session: SESSION,
  message: ['id', 'session_id', 'time_updated', 'data'],
  part: ['id', 'message_id', 'session_id', 'time_created', 'time_updated', 'data'],
};
const SECOND = {
  session_v2: [...SESSION, 'fork_session_id'],
  session_message: ['id', 'session_id', 'type', 'seq', 'time_updated', 'data'],
};
const REMEDY = 'Update Barograph, or report it: https://github.com/barograph/barograph/issues';

/** Version 2 copies a session of version 1 with its id, and then no longer changes the original. */
const everySession = (hasFirst: boolean, hasSecond: boolean) => {
  const columns = SESSION.join(', ');
  const first = `select ${columns}, null as fork_session_id from session`;
  const second = `select ${columns}, fork_session_id from session_v2`;
  if (!hasSecond) return first;
  return hasFirst ? `${second} union all ${first} where id not in (select id from session_v2)` : second;
};

/** A sub-agent has a separate session, which names its parent session. */
const sessions = (every: string, tables: readonly string[]) => {
  const newest = tables.map((table) => `select max(time_updated) from ${table} where session_id = s.id`);
  return `
  with recursive every as (${every}),
  up (id, root, parent) as (
    select id, id, parent_id from every
    union all
    select up.id, above.id, above.parent_id from up join every above on above.id = up.parent
  )
  select s.id, max(s.time_updated, ${newest.map((sql) => `coalesce((${sql}), 0)`).join(', ')}) as changed,
    json_object('id', s.id, 'root', up.root, 'directory', above.directory) as head
  from every s join up on up.id = s.id join every above on above.id = up.root
  where up.parent is null or not exists (select 1 from every where id = up.parent)`;
};

const sessionRow = (every: string) => `
  select time_updated as changed, json_object('session', id, 'title', title, 'version', version,
    'created', time_created, 'directory', directory, 'fork', fork_session_id) as line
  from (${every}) where id = :session`;

/**
 * Selects messages of version 1 with their parts. Later messages and parts have greater ids. `auto` is the trigger of the
 * compaction that a summary answers. Since SQLite 3.54, a subquery returns JSON as text, hence `json(…)`.
 */
const firstRows = (isPart: string, isMessage: string) => `
  select * from (
    select m.time_updated, json_object('id', m.id, 'message', json(m.data), 'parts', json((
      select json_group_array(json_object('id', p.id, 'at', p.time_created, 'part', json(p.data)))
      from (select * from part where message_id = m.id order by id) p where ${isPart})),
      'auto', (select json_extract(data, '$.auto') from part
        where message_id = json_extract(m.data, '$.parentID') and json_extract(data, '$.type') = 'compaction'))
    from message m
    where m.session_id = :session and ${isMessage}
    order by m.id)`;

/**
 * Selects messages of version 2, except copies of messages of version 1. Version 1 has an unused table of the same name,
 * so only sessions of version 2 count.
 */
const secondRows = (data: string, isMessage: string, hasFirst: boolean) => `
  select * from (
    select m.time_updated, json_object('id', m.id, 'type', m.type, 'updated', m.time_updated, 'data', json(${data}))
    from session_message m
    where m.session_id = :session and exists (select 1 from session_v2 where id = :session) and ${isMessage}
      ${hasFirst ? 'and not exists (select 1 from message where id = m.id)' : ''}
    order by m.seq)`;

/** Without the texts, which are large and contain no figures. */
const figures = `json_remove(m.data, '$.content', '$.text', '$.files', '$.output', '$.summary', '$.recent',
  '$.providerContext')`;

function queriesFor(schema: DatabaseSchema) {
  const isThere = (table: string) => schema.has(table);
  const faults: string[] = [];
  const isWhole = (tables: Readonly<Record<string, readonly string[]>>) => {
    const found = Object.entries(tables).flatMap(([table, columns]) => {
      const missing = columns.filter((column) => schema.get(table)?.has(column) !== true);
      if (missing.length === 0) return [];
      return isThere(table) ? `table ${table} lacks ${missing.join(', ')}` : `table ${table} is missing`;
    });
    faults.push(...found);
    return found.length === 0;
  };
  const hasFirst = Object.keys(FIRST).some(isThere) && isWhole(FIRST);
  const hasSecond = isThere('session_v2') && isWhole(SECOND);
  if (!hasFirst && !hasSecond && faults.length === 0)
    faults.push(`expected the tables ${Object.keys(FIRST).join(', ')} or ${Object.keys(SECOND).join(', ')}`);
  const problem = faults.length === 0 ? null : `unknown schema: ${faults.join('; ')}. ${REMEDY}`;
  return { queries: hasFirst || hasSecond ? makeQueries(hasFirst, hasSecond) : null, problem };
}

function makeQueries(hasFirst: boolean, hasSecond: boolean): DatabaseQueries {
  const every = everySession(hasFirst, hasSecond);
  const union = (first: string, second: string) =>
    [sessionRow(every), ...(hasFirst ? [first] : []), ...(hasSecond ? [second] : [])].join('\n  union all');
  return {
    sessions: sessions(every, [...(hasFirst ? ['message'] : []), ...(hasSecond ? ['session_message'] : [])]),
    lines: union(
      firstRows(
        `json_extract(p.data, '$.type') = 'step-finish'`,
        `(m.time_updated >= :since
          or m.id in (select message_id from part where session_id = :session and time_updated >= :since))`,
      ),
      secondRows(figures, 'm.time_updated >= :since', hasFirst),
    ),
    transcript: union(
      firstRows('true', '(m.id <= :boundary or not exists (select 1 from message where id = :boundary))'),
      secondRows('m.data', 'm.seq <= (select seq from session_message where id = :boundary)', hasFirst),
    ),
  };
}

export const database: DatabaseFormat = {
  queriesFor,
  findFault(line) {
    const { id, message, parts, type, data } = JSON.parse(line) as Record<string, unknown>;
    const fault = (field: string, value: unknown, expected: string) =>
      `${field} of message ${id}: SQLite returned ${value === null ? 'null' : `a ${typeof value}`} instead of ${expected}`;
    if (type !== undefined && asFields(data) === null) return fault('data', data, 'an object');
    if (parts !== undefined && !Array.isArray(parts)) return fault('parts', parts, 'a list');
    return parts !== undefined && asFields(message) === null ? fault('data', message, 'an object') : null;
  },
};
