import type { ListedArchive } from '../../archive/archive-index';
import type { CommandContext } from '../command';
import { formatBytes, formatCount } from '../output';

/** Pipes have no width. */
const DEFAULT_WIDTH = 120;
const LEAST_WIDTH = 80;
const ID_DIGITS = 8;
const GAP = '  ';
const STATES = { none: 'here', pending: 'pending', done: 'on server', refused: 'refused' } as const;

interface Column {
  head: string;
  cell(archive: ListedArchive): string;
  /** Only with `--wide`. */
  isDetail?: boolean;
  isNumber?: boolean;
  /** Narrow lines cut it, down to `least` characters: a session's end is specific, a state's first word. */
  least?: number;
  keep?: 'start' | 'end';
}

export function listCommand({ values, out }: CommandContext, archives: readonly ListedArchive[]): number {
  if (values.json === true) {
    out.line(JSON.stringify(archives, null, 2));
    return 0;
  }
  if (archives.length === 0) {
    out.line('No archives on this machine.');
    return 0;
  }
  const isWide = values.wide === true;
  const columns = columnsOf(isWide).filter(({ isDetail }) => isWide || isDetail !== true);
  const width = isWide ? Number.POSITIVE_INFINITY : Math.max(LEAST_WIDTH, out.columns ?? DEFAULT_WIDTH);
  for (const line of formatTable(columns, archives, width)) out.line(line);
  out.line(summaryOf(archives));
  if (!isWide) out.line('--wide shows full names and reasons, lines, and the path of each copy.');
  return 0;
}

function columnsOf(isWide: boolean): Column[] {
  return [
    { head: 'WHEN (UTC)', cell: ({ at }) => at.slice(0, 19).replace('T', ' ') },
    {
      head: 'SESSION',
      least: 13,
      keep: 'end',
      cell: ({ session, clientSessionId, agent }) =>
        `${session ?? clientSessionId}${agent === undefined ? '' : ` (${agent})`}`,
    },
    { head: 'TRIGGER', cell: ({ trigger }) => trigger },
    { head: 'VERSION', cell: ({ asOf }) => asOf },
    { head: 'SIZE', isNumber: true, cell: ({ bytes }) => (bytes === null ? '' : formatBytes(bytes)) },
    { head: 'LINES', isNumber: true, isDetail: true, cell: ({ lines }) => String(lines ?? '') },
    { head: 'STATE', least: 12, cell: (archive) => stateOf(archive, isWide) },
    { head: 'WHERE', isDetail: true, cell: placeOf },
  ];
}

/** The state in one word, and the reason. Without `--wide`, which has a column for it, also a missing copy. */
function stateOf(archive: ListedArchive, isWide: boolean): string {
  const { state, upload, uncompacted, archive: copy, isThere, prunedAt } = archive;
  const isStored = state === 'stored';
  const isOpen = upload === 'pending' || upload === 'refused';
  const why = isStored ? (isOpen ? archive.uploadReason : null) : archive.reason;
  let text: string = isStored ? STATES[upload] : state;
  if (isWide && !why) text += serversOf(archive);
  if (!isWide && copy !== null && !isThere) {
    text += prunedAt === undefined ? ', copy gone' : `, pruned ${prunedAt.slice(0, 10)}`;
  }
  if (why) text += `: ${why}`;
  return uncompacted === undefined ? text : `${text}; no compaction: ${uncompacted}`;
}

/** The servers that have it, by the start of their ids: an address may belong to another server now. */
function serversOf({ servers = {}, upload, uploadedTo }: ListedArchive): string {
  const names = Object.entries(servers)
    .filter(([, note]) => note.upload === 'done')
    .map(([id, { url }]) => `${id.slice(0, ID_DIGITS)} (${url})`);
  if (names.length > 0) return ` ${names.join(', ')}`;
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

function formatTable(columns: readonly Column[], archives: readonly ListedArchive[], width: number) {
  const heads = columns.map(({ head }) => head);
  const texts = [heads, ...archives.map((archive) => columns.map(({ cell }) => cell(archive)))];
  // Names come from other programs: nothing in them may move the cursor.
  const rows = texts.map((row) => row.map((text) => [...text.replaceAll(UNPRINTABLE, '\ufffd')]));
  const fitted = columns.map((column, index) => {
    const room = Math.max(...rows.map((row) => row[index]?.length ?? 0));
    return { ...column, index, room };
  });
  let excess = fitted.reduce((sum, { room }) => sum + room, GAP.length * (columns.length - 1)) - width;
  for (; excess > 0; excess -= 1) {
    const flexible = fitted.filter(({ room, least = Number.POSITIVE_INFINITY }) => room > least);
    const [widest] = flexible.sort((a, b) => b.room - a.room);
    if (widest === undefined) break;
    widest.room -= 1;
  }
  return rows.map((row) => {
    const cells = fitted.map(({ index, room, keep, isNumber }) => {
      const text = cut(row[index] ?? [], room, keep);
      return isNumber ? text.padStart(room) : text.padEnd(room);
    });
    return cells.join(GAP).trimEnd();
  });
}

const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

function cut(characters: readonly string[], room: number, keep: 'start' | 'end' = 'start'): string {
  if (characters.length <= room) return characters.join('');
  if (keep === 'end') return `…${characters.slice(characters.length - room + 1).join('')}`;
  return `${characters.slice(0, room - 1).join('')}…`;
}
