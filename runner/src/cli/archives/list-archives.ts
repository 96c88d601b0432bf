import type { ListedArchive } from '../../archive/archive-index';
import type { CommandContext } from '../command';
import { formatBytes, formatCount } from '../output';
import { formatTable } from './format-table';
import { selectArchives } from './select-archives';

export async function listCommand(context: CommandContext): Promise<number> {
  const { values, out } = context;
  const archives = await selectArchives(context);
  if (values.json === true) {
    out.line(JSON.stringify(archives, null, 2));
    return 0;
  }
  if (archives.length === 0) {
    out.line('Nothing was archived on this machine yet.');
    return 0;
  }
  const head = ['WHEN (UTC)', 'SESSION', 'TRIGGER', 'VERSION', 'SIZE', 'LINES', 'STATE', 'WHERE'];
  for (const line of formatTable(head, archives.map(rowOf), ['SIZE', 'LINES'])) out.line(line);
  out.line(summaryOf(archives));
  return 0;
}

function rowOf(archive: ListedArchive): string[] {
  const { at, session, clientSessionId, trigger, asOf, bytes, lines, agent } = archive;
  return [
    at.slice(0, 19).replace('T', ' '),
    `${session ?? clientSessionId}${agent === undefined ? '' : ` (${agent})`}`,
    trigger,
    asOf,
    bytes === null ? '' : formatBytes(bytes),
    lines === null ? '' : String(lines),
    stateOf(archive),
    placeOf(archive),
  ];
}

/** How far an archive came, in one word, and why no further. */
export function stateOf(archive: ListedArchive): string {
  const { state, reason, upload, uploadReason, uncompacted } = archive;
  const isKept = upload === 'pending' || upload === 'refused';
  const word = state === 'stored' ? STATES[upload] : state;
  const why = state === 'stored' ? (isKept ? uploadReason : null) : reason;
  const words = [
    why ? `${word}: ${why}` : word + serversOf(archive),
    ...(uncompacted === undefined ? [] : [`no compaction: ${uncompacted}`]),
  ];
  return words.join('; ');
}

const STATES = { none: 'here', pending: 'pending', done: 'on server', refused: 'refused' } as const;
const ID_DIGITS = 8;

/** Which servers have it: by the beginnings of their ids, since an address may be another server's by now. */
function serversOf({ servers = {}, upload, uploadedTo }: ListedArchive): string {
  const have = Object.entries(servers).filter(([, note]) => note.upload === 'done');
  if (have.length > 0)
    return ` ${have.map(([id, { url }]) => `${id.slice(0, ID_DIGITS)} (${url})`).join(', ')}`;
  return upload === 'done' && uploadedTo !== undefined ? ` (${uploadedTo})` : '';
}

function placeOf({ archive, asOf, source, isThere, prunedAt }: ListedArchive): string {
  if (archive === null) return asOf === 'completed' ? `the first bytes of ${source ?? '?'}` : '';
  if (prunedAt !== undefined) return `pruned ${prunedAt.slice(0, 10)}`;
  return isThere ? archive : `gone: ${archive}`;
}

function summaryOf(archives: readonly ListedArchive[]): string {
  const count = (upload: string) =>
    archives.filter((archive) => archive.state === 'stored' && archive.upload === upload).length;
  const here = archives.filter(({ isThere }) => isThere);
  const bytes = here.reduce((sum, archive) => sum + (archive.bytes ?? 0), 0);
  return (
    `${formatCount(archives.length, 'archive')}: ${count('done')} on the server, ${count('pending')} pending, ` +
    `${count('refused')} refused; ${formatCount(here.length, 'copy', 'copies')} here (${formatBytes(bytes)}).`
  );
}
