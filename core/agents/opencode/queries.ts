/** Queries for the database that OpenCode writes since version 1.2. */
import type { DatabaseQueries } from '../agent-format';

/** A sub-agent has a separate session, which names its parent session. */
const sessions = `
  with recursive up (id, root, parent) as (
    select id, id, parent_id from session
    union all
    select up.id, above.id, above.parent_id from up join session above on above.id = up.parent
  )
  select s.id,
    max(s.time_updated, coalesce((select max(time_updated) from message where session_id = s.id), 0)) as changed,
    json_object('id', s.id, 'root', up.root, 'directory', above.directory) as head
  from session s join up on up.id = s.id join session above on above.id = up.root
  where up.parent is null or not exists (select 1 from session where id = up.parent)`;

/**
 * Selects the session's row, and its messages with their parts. Later messages and parts have greater ids. `auto` is the
 * trigger of the compaction that a summary answers. Since SQLite 3.54, a subquery returns JSON as text, hence `json(…)`.
 */
const rows = (isPart: string, isMessage: string) => `
  select time_updated as changed, json_object('session', id, 'title', title, 'version', version,
    'created', time_created, 'directory', directory) as line
  from session where id = :session
  union all
  select * from (
    select m.time_updated, json_object('id', m.id, 'message', json(m.data), 'parts', json((
      select json_group_array(json_object('id', p.id, 'at', p.time_created, 'part', json(p.data)))
      from (select * from part where message_id = m.id order by id) p where ${isPart})),
      'auto', (select json_extract(data, '$.auto') from part
        where message_id = json_extract(m.data, '$.parentID') and json_extract(data, '$.type') = 'compaction'))
    from message m
    where m.session_id = :session and ${isMessage}
    order by m.id)`;

export const queries: DatabaseQueries = {
  sessions,
  lines: rows(
    `json_extract(p.data, '$.type') = 'step-finish'`,
    `(m.time_updated >= :since
      or m.id in (select message_id from part where session_id = :session and time_updated >= :since))`,
  ),
  transcript: rows('true', 'm.id <= :boundary'),
  findFault(line) {
    const { id, parts } = JSON.parse(line) as { id?: unknown; parts?: unknown };
    if (parts === undefined || Array.isArray(parts)) return null;
    return `parts of message ${id}: SQLite returned ${parts === null ? 'null' : `a ${typeof parts}`} instead of a list`;
  },
};
