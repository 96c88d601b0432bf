import type { ListedArchive } from '../../archive/list-archives';
import type { CommandContext } from '../command';
import { formatBytes, formatCount } from '../output';

const STATES = { none: 'here', pending: 'pending', done: 'on server', refused: 'refused' } as const;
const COLUMNS: readonly { head: string; cell(archive: ListedArchive): string; isNumber?: true }[] = [
  { head: 'WHEN (UTC)', cell: ({ at }) => at.slice(0, 19).replace('T', ' ') },
  {
    head: 'SESSION',
    cell: ({ session, clientSessionId, agent }) =>
      `${session ?? clientSessionId}${agent === undefined ? '' : ` (${agent})`}`,
  },
  { head: 'TRIGGER', cell: ({ trigger }) => trigger },
  { head: 'VERSION', cell: ({ asOf }) => asOf },
  { head: 'SIZE', isNumber: true, cell: ({ bytes }) => (bytes === null ? '' : formatBytes(bytes)) },
  { head: 'STATE', cell: stateOf },
];

export function listCommand({ values, out }: CommandContext, archives: readonly ListedArchive[]): number {
  if (values.json === true) {
    out.line(JSON.stringify(archives, null, 2));
    return 0;
  }
  if (archives.length === 0) {
    out.line('No archives on this machine.');
    return 0;
  }
  const texts = [
    COLUMNS.map(({ head }) => head),
    ...archives.map((row) => COLUMNS.map(({ cell }) => cell(row))),
  ];
  // Names come from other programs: a control character could move the cursor.
  const rows = texts.map((row) => row.map((text) => text.replaceAll(UNPRINTABLE, '\ufffd')));
  const widths = COLUMNS.map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)));
  for (const row of rows) {
    const cells = row.map((text, index) => {
      const width = widths[index] ?? 0;
      return COLUMNS[index]?.isNumber ? text.padStart(width) : text.padEnd(width);
    });
    out.line(cells.join('  ').trimEnd());
  }
  out.line(summaryOf(archives));
  return 0;
}

const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu;

/** The state, whether the copy is missing, and the reason. */
function stateOf({ state, upload, uncompacted, archive, isThere, prunedAt, ...rest }: ListedArchive): string {
  const isOpen = upload === 'pending' || upload === 'refused';
  const why = state !== 'stored' ? rest.reason : isOpen ? rest.uploadReason : null;
  const gone = prunedAt === undefined ? ', copy gone' : `, pruned ${prunedAt.slice(0, 10)}`;
  return [
    state === 'stored' ? STATES[upload] : state,
    archive === null || isThere ? '' : gone,
    why ? `: ${why}` : '',
    uncompacted === undefined ? '' : `; not compacted: ${uncompacted}`,
    rest.recoveredAt === undefined ? '' : '; found on disk',
  ].join('');
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
