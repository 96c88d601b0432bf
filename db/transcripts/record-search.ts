/**
 * Audit of searches in transcripts: they read private content. The log has the words, with secrets masked and very long
 * words cut, because more people may read the log than may see secrets.
 */
import type postgres from 'postgres';
import { findSecrets } from '../../core/secrets/find-secrets';
import { mergePlaces } from '../../core/secrets/secret-scanner';
import { toJsonText } from '../json-text';

export interface SearchRecord {
  actor: string;
  words: string;
  /** Names of the searched projects; empty: all. */
  projects?: readonly string[];
  /** `transcripts.id` for a search in one transcript. */
  transcriptId?: number;
  /** Number of transcripts or places found. */
  found: number;
}

/** Pages repeat a search when they scroll or refresh. */
const ONE_SEARCH_MINUTES = 10;

/** Longer than an id: it may be an unknown kind of key, so only its beginning is kept. */
const LONG_WORD = /\S{41,}/g;

/** Record a search before it is answered, once in ten minutes. */
export async function recordSearch(
  sql: postgres.ISql,
  { actor, words, projects = [], transcriptId, found }: SearchRecord,
): Promise<void> {
  const masked = (await maskWords(words)).trim();
  if (masked === '') return;
  const detail = { words: masked, found, ...(projects.length > 1 && { projects: [...projects].sort() }) };
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
        and a.project_id is not distinct from p.project_id and a.detail ->> 'words' = ${masked}
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
  // PostgreSQL rejects NUL.
  return (masked + words.slice(at))
    .replaceAll('\u0000', '')
    .replace(LONG_WORD, (word) => `${word.slice(0, 8)}…`);
}
