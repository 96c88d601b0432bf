import type { SessionEvent } from '../events/event';
import type { History, HistoryFigures, HistoryPoint, HistorySessionList } from './history';
import type { NoteList } from './notes';
import type { TurnRow } from './session';

export type CsvCell = string | number | null;

/** Text that a spreadsheet would run as a formula. */
const FORMULA = /^[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

/** A table with a header; null is an empty cell. */
export function toCsv(head: readonly string[], rows: Iterable<readonly CsvCell[]>): string {
  let text = toCsvLine(head);
  for (const row of rows) text += toCsvLine(row);
  return text;
}

/** One line with its end, for tables that are written in parts. */
export function toCsvLine(row: readonly CsvCell[]): string {
  return `${row.map(toCell).join(',')}\r\n`;
}

function toCell(value: CsvCell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Columns of turns and events, one line each. Headers name the unit where there is one. */
export const TURN_COLUMNS = [
  'turn',
  'chain',
  'context',
  'scope',
  'atUtc',
  'receivedAtUtc',
  'model',
  'inputTokens',
  'outputTokens',
  'cacheReadTokens',
  'cacheCreationTokens',
  'cumulativeInputTokens',
  'cumulativeOutputTokens',
  'cumulativeCacheReadTokens',
  'contextTokens',
  'basis',
  'limitTokens',
  'limitSource',
  'flags',
  'call',
] as const;

/** Unreported counts are empty cells, never 0; flags are separated by spaces. */
export function turnToRow(turn: TurnRow): CsvCell[] {
  const { usage, cumulative } = turn;
  return [
    turn.number,
    turn.chain,
    turn.context,
    turn.scope,
    turn.at,
    turn.receivedAt,
    turn.model,
    usage?.input ?? null,
    usage?.output ?? null,
    usage?.cacheRead ?? null,
    usage?.cacheCreation ?? null,
    cumulative.input,
    cumulative.output,
    cumulative.cacheRead,
    turn.contextTokens,
    turn.basis,
    turn.limit,
    turn.limitSource,
    turn.flags.join(' '),
    turn.call,
  ];
}

export const EVENT_COLUMNS = [
  'atUtc',
  'kind',
  'chain',
  'context',
  'afterTurn',
  'detailJson',
  'revision',
  'id',
] as const;

export function eventToRow(event: SessionEvent): CsvCell[] {
  const { at, kind, chain, context, turn, detail, revision, id } = event;
  return [at, kind, chain, context, turn, JSON.stringify(detail), revision, id];
}

const COLUMNS = ['atUtc', 'afterTurn', 'author', 'text', 'createdAtUtc', 'editedAtUtc', 'editedBy', 'id'];

export function notesToCsv({ notes }: NoteList): string {
  return toCsv(
    COLUMNS,
    notes.map(({ at, turn, author, text, createdAt, editedAt, editedBy, id }) => [
      at,
      turn,
      author,
      text,
      createdAt,
      editedAt,
      editedBy,
      id,
    ]),
  );
}

/** History: one line per bucket and group, or per session. */
const FIGURES = [
  'turns',
  'input',
  'output',
  'cacheRead',
  'cacheCreation',
  'cacheShare',
  'restarts',
  'compactions',
  'thrashes',
  'cacheStorms',
  'peak',
] as const satisfies readonly (keyof HistoryFigures)[];

const cells = (figures: HistoryFigures): CsvCell[] => FIGURES.map((name) => figures[name]);

/** Buckets with activity. With groups one line for each group that has points, else one for all. */
export function historyToCsv(history: History): string {
  const { by, groups, points } = history;
  if (by === null) {
    return toCsv(
      ['from', 'to', ...FIGURES],
      points.map((point) => [point.from, point.to, ...cells(point)]),
    );
  }
  const rows = groups.flatMap(({ name, project, points: own }) =>
    (own ?? []).map((point: HistoryPoint) => [
      point.from,
      point.to,
      ...(by === 'runner' ? [project] : []),
      name,
      ...cells(point),
    ]),
  );
  rows.sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : String(a[0]) > String(b[0]) ? 1 : 0));
  return toCsv(['from', 'to', ...(by === 'runner' ? ['project'] : []), by, ...FIGURES], rows);
}

export function historySessionsToCsv({ sessions }: HistorySessionList): string {
  const rows = sessions.map((session) => [
    session.id,
    session.title ?? session.key,
    session.project,
    session.runner,
    session.model,
    ...cells(session.figures),
    session.mark?.kind ?? null,
    session.mark?.at ?? null,
    session.mark?.sentence ?? null,
  ]);
  return toCsv(
    ['session', 'title', 'project', 'runner', 'model', ...FIGURES, 'mark', 'markAt', 'reason'],
    rows,
  );
}
