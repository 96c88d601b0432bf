import type postgres from 'postgres';
import type { TranscriptFormat } from '../../../core/agents/clients';
import type { ContentsState } from '../../../core/api/transcript-contents';
import type { OutlineChain, OutlineCompaction } from '../../../core/transcript/outline';

/** The state of a transcript's content; only `read` has any. */
export interface ContentsRow {
  transcriptId: number;
  publicId: string;
  /** Version of the archive: its compaction is after its end, or in it. */
  version: 'hook' | 'completed';
  /** Public id of its session. */
  session: string;
  at: Date;
  state: ContentsState;
  reason: string | null;
  readAt: Date | null;
  format: TranscriptFormat | null;
  bytes: number | null;
  lines: number | null;
  entries: number;
  messages: number;
  window: number | null;
  secrets: number;
  /** Compactions in the file. */
  boundaries: number;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Null: no such transcript. Without stored bytes its contents are `failed`, with the reason. */
export async function findContents(sql: postgres.Sql, publicId: string): Promise<ContentsRow | null> {
  if (!UUID.test(publicId)) return null;
  const [row] = await sql<ContentsRow[]>`
    select t.id as "transcriptId", t.public_id as "publicId", t.version, t.session, t.at,
      coalesce(c.state, case when t.state in ('stored', 'uploading') then 'waiting' else 'failed' end) as state,
      case
        when c.state is not null then c.reason
        when t.state = 'deleted' then 'it was deleted'
        when t.state in ('stored', 'uploading') then null
        else 'its content is not stored here'
      end as reason,
      c.read_at as "readAt", c.format, coalesce(c.bytes, t.bytes) as bytes, c.lines, coalesce(c.entries, 0) as entries,
      coalesce(c.messages, 0) as messages, c."window", coalesce(c.secrets, 0) as secrets,
      coalesce(c.boundaries, 0) as boundaries
    from transcripts t left join transcript_contents c on c.transcript_id = t.id
    where t.public_id = ${publicId}`;
  if (!row) return null;
  // Partial results must not show.
  return row.state === 'read' ? row : { ...row, entries: 0, messages: 0, secrets: 0, boundaries: 0 };
}

/** Chains and listed compactions, thousands at most; ranges of messages do not need them all. */
export async function findChains(
  sql: postgres.Sql,
  { transcriptId, state }: Pick<ContentsRow, 'transcriptId' | 'state'>,
): Promise<{ chains: OutlineChain[]; compactions: OutlineCompaction[] }> {
  if (state !== 'read') return { chains: [], compactions: [] };
  const [row] = await sql<{ chains: OutlineChain[]; compactions: OutlineCompaction[] }[]>`
    select chains, compactions from transcript_contents where transcript_id = ${transcriptId}`;
  return row ?? { chains: [], compactions: [] };
}
