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
  const isWide = values.wide === true;
  const shown = isWide ? WIDE : WIDE.filter((name) => !DETAILS.includes(name));
  const rows = archives.map((archive) => {
    const cells = rowOf(archive, isWide);
    return shown.map((name) => cells[WIDE.indexOf(name)] ?? '');
  });
  const width = Math.max(LEAST_WIDTH, out.columns ?? USUAL_WIDTH);
  const layout = { toRight: ['SIZE', 'LINES'], ...(isWide ? {} : { width, flexible: FLEXIBLE }) };
  for (const line of formatTable(shown, rows, layout)) out.line(line);
  out.line(summaryOf(archives));
  if (!isWide) out.line('--wide shows whole names and reasons, lines, and where each copy lies.');
  return 0;
}

const WIDE = ['WHEN (UTC)', 'SESSION', 'TRIGGER', 'VERSION', 'SIZE', 'LINES', 'STATE', 'WHERE'];
/** What `--wide` alone shows. */
const DETAILS: readonly string[] = ['LINES', 'WHERE'];
/** A session is told by the end of its key; a state by its first word. */
const FLEXIBLE = {
  SESSION: { least: 13, keep: 'end' },
  STATE: { least: 12, keep: 'start' },
} as const;
/** Where nobody says how wide a line may be, as in a pipe. */
const USUAL_WIDTH = 120;
const LEAST_WIDTH = 80;

function rowOf(archive: ListedArchive, isWide: boolean): string[] {
  const { at, session, clientSessionId, trigger, asOf, bytes, lines, agent } = archive;
  return [
    at.slice(0, 19).replace('T', ' '),
    `${session ?? clientSessionId}${agent === undefined ? '' : ` (${agent})`}`,
    trigger,
    asOf,
    bytes === null ? '' : formatBytes(bytes),
    lines === null ? '' : String(lines),
    isWide ? stateOf(archive) : shortStateOf(archive),
    placeOf(archive),
  ];
}

/** How far an archive came, in one word, and why no further. */
export function stateOf(archive: ListedArchive): string {
  const { word, why } = wordsOf(archive);
  return [why ? `${word}: ${why}` : word + serversOf(archive), ...uncompactedOf(archive)].join('; ');
}

/** As `stateOf`, with what became of the copy in place of where it is. */
function shortStateOf(archive: ListedArchive): string {
  const { word, why } = wordsOf(archive);
  const { archive: copy, isThere, prunedAt } = archive;
  const gone = prunedAt === undefined ? 'copy gone' : `pruned ${prunedAt.slice(0, 10)}`;
  const head = copy === null || isThere ? word : `${word}, ${gone}`;
  return [why ? `${head}: ${why}` : head, ...uncompactedOf(archive)].join('; ');
}

function wordsOf({ state, reason, upload, uploadReason }: ListedArchive) {
  const isKept = upload === 'pending' || upload === 'refused';
  if (state !== 'stored') return { word: state, why: reason };
  return { word: STATES[upload], why: isKept ? uploadReason : null };
}

function uncompactedOf({ uncompacted }: ListedArchive): string[] {
  return uncompacted === undefined ? [] : [`no compaction: ${uncompacted}`];
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
