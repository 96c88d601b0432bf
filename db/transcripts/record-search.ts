/**
 * Searches over what transcripts say, in the audit log: they read private content as opening one does. The words stand
 * there, since who looked for what is what an operator asks later; what in them looks like a secret is masked first, by
 * the rules of the transcripts themselves, and words that are too long for one are cut, because more people may read
 * the log than may see secrets.
 */
import type postgres from 'postgres';
import { findSecrets } from '../../core/secrets/find-secrets';
import { mergePlaces } from '../../core/secrets/secret-scanner';
import { toJsonText } from '../ingest/json-text';

export interface SearchRecord {
  actor: string;
  words: string;
  /** Names of the projects that were searched; empty: all of them. */
  projects?: readonly string[];
  /** `transcripts.id`, of a search in one. */
  transcriptId?: number;
  /** Transcripts or places that were found. */
  found: number;
}

/** A page asks the same again for each window, and when something came in. */
const ONE_SEARCH_MINUTES = 10;

/** Longer than an id: it may be a key that no rule knows, and its beginning alone is kept. */
const LONG_WORD = /\S{41,}/g;

/** Before the answer goes out. The same again within ten minutes is left out. */
export async function recordSearch(
  sql: postgres.ISql,
  { actor, words, projects = [], transcriptId, found }: SearchRecord,
): Promise<void> {
  const said = (await maskWords(words)).trim();
  if (said === '') return;
  const detail = { words: said, found, ...(projects.length > 1 && { projects: [...projects].sort() }) };
  const only = projects.length === 1 ? projects[0] : undefined;
  await sql`
    with place as (
      select t.project_id, t.public_id as transcript, t.session from transcripts t where t.id = ${transcriptId ?? null}::int
      union all
      select (select id from projects where name = ${only ?? null}::text), null::uuid, null::uuid
      where ${transcriptId === undefined}::boolean
    )
    insert into audit_log (actor, action, project_id, transcript, session, detail)
    select ${actor}, 'transcripts_searched', p.project_id, p.transcript, p.session, ${toJsonText(detail)}::text::jsonb
    from place p
    where not exists (
      select from audit_log a
      where a.at > now() - make_interval(mins => ${ONE_SEARCH_MINUTES}) and a.action = 'transcripts_searched'
        and a.actor = ${actor} and a.transcript is not distinct from p.transcript
        and a.project_id is not distinct from p.project_id and a.detail ->> 'words' = ${said}
        and a.detail -> 'projects' is not distinct from (${toJsonText(detail)}::text::jsonb) -> 'projects'
    )`;
}

async function maskWords(words: string): Promise<string> {
  let masked = '';
  let at = 0;
  for (const { from, to, rule } of mergePlaces(await findSecrets(words))) {
    masked += `${words.slice(at, from)}[${rule}]`;
    at = to;
  }
  // PostgreSQL keeps no NUL.
  return (masked + words.slice(at))
    .replaceAll('\u0000', '')
    .replace(LONG_WORD, (word) => `${word.slice(0, 8)}…`);
}
