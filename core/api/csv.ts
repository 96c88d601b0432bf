import type { SessionEvent } from '../events/event';
import {
  type History,
  type HistoryFigures,
  type HistoryPoint,
  type HistorySessionList,
  historyFigures,
} from './history';
import { type TurnRow, turnRow } from './session';

type CsvCell = string | number | null;

/**
 * Text that a spreadsheet would run as a formula, at the start of a cell or after a character that some spreadsheets take
 * for a separator. Quotes do not help there, because such a spreadsheet ignores quotes inside its cells.
 */
const FORMULA = /^(?=[=+\-@\t\r＝＋－＠])|[;|\t\r\n](?=[\s"]*[=+\-@＝＋－＠])/g;
const NEEDS_QUOTES = /[",;|\t\r\n]/;

/** Name and cell of each column. A name includes the unit of the column, if any. Null gives an empty cell. */
export type Columns<T> = readonly (readonly [name: string, cell: (row: T) => CsvCell])[];

export function toCsv<T>(columns: Columns<T>, rows: readonly T[]): string {
  return csvHead(columns) + csvRows(columns, rows);
}

export function csvHead<T>(columns: Columns<T>): string {
  return toLine(columns.map(([name]) => name));
}

export function csvRows<T>(columns: Columns<T>, rows: readonly T[]): string {
  return rows.map((row) => toLine(columns.map(([, cell]) => cell(row)))).join('');
}

function toLine(cells: readonly CsvCell[]): string {
  return `${cells.map(toCell).join(',')}\r\n`;
}

function toCell(value: CsvCell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = value.replace(FORMULA, "$&'");
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Unreported counts are empty cells, never 0; flags are separated by spaces. */
const TURN_CELLS: Readonly<Partial<Record<keyof TurnRow, Columns<TurnRow>>>> = {
  number: [['turn', (turn) => turn.number]],
  at: [['atUtc', (turn) => turn.at]],
  receivedAt: [['receivedAtUtc', (turn) => turn.receivedAt]],
  usage: [
    ['inputTokens', (turn) => turn.usage?.input ?? null],
    ['outputTokens', (turn) => turn.usage?.output ?? null],
    ['cacheReadTokens', (turn) => turn.usage?.cacheRead ?? null],
    ['cacheCreationTokens', (turn) => turn.usage?.cacheCreation ?? null],
  ],
  cumulative: [
    ['cumulativeInputTokens', (turn) => turn.cumulative.input],
    ['cumulativeOutputTokens', (turn) => turn.cumulative.output],
    ['cumulativeCacheReadTokens', (turn) => turn.cumulative.cacheRead],
  ],
  limit: [['limitTokens', (turn) => turn.limit]],
  flags: [['flags', (turn) => turn.flags.join(' ')]],
};

/** Every other field of a turn is a column of the same name. */
export const TURN_COLUMNS: Columns<TurnRow> = turnRow
  .keyof()
  .options.flatMap((name) => TURN_CELLS[name] ?? [[name, (turn) => turn[name] as CsvCell]]);

export const EVENT_COLUMNS: Columns<SessionEvent> = [
  ['atUtc', (event) => event.at],
  ['kind', (event) => event.kind],
  ['chain', (event) => event.chain],
  ['context', (event) => event.context],
  ['afterTurn', (event) => event.turn],
  ['detailJson', (event) => JSON.stringify(event.detail)],
  ['revision', (event) => event.revision],
  ['id', (event) => event.id],
];

const figuresOf = <T>(from: (row: T) => HistoryFigures): Columns<T> =>
  historyFigures.keyof().options.map((name) => [name, (row) => from(row)[name]]);

interface HistoryRow {
  point: HistoryPoint;
  name: string | null;
  project: string | null;
}

/** One line per bucket with activity. With groups, one line per bucket and group that has points. */
export function historyToCsv({ by, groups, points }: History): string {
  const rows: HistoryRow[] =
    by === null
      ? points.map((point) => ({ point, name: null, project: null }))
      : groups.flatMap(({ name, project, points: own }) =>
          (own ?? []).map((point) => ({ point, name, project })),
        );
  const columns: Columns<HistoryRow> = [
    ['from', ({ point }) => point.from],
    ['to', ({ point }) => point.to],
    ...(by === 'runner' ? ([['project', ({ project }) => project]] satisfies Columns<HistoryRow>) : []),
    ...(by === null ? [] : ([[by, ({ name }) => name]] satisfies Columns<HistoryRow>)),
    ...figuresOf<HistoryRow>(({ point }) => point),
  ];
  if (by !== null) rows.sort((a, b) => Date.parse(a.point.from) - Date.parse(b.point.from));
  return toCsv(columns, rows);
}

const SESSION_COLUMNS: Columns<HistorySessionList['sessions'][number]> = [
  ['session', ({ id }) => id],
  ['title', ({ title, key }) => title ?? key],
  ['project', ({ project }) => project],
  ['runner', ({ runner }) => runner],
  ['model', ({ model }) => model],
  ...figuresOf<HistorySessionList['sessions'][number]>(({ figures }) => figures),
  ['mark', ({ mark }) => mark?.kind ?? null],
  ['markAt', ({ mark }) => mark?.at ?? null],
  ['reason', ({ mark }) => mark?.sentence ?? null],
];

export const historySessionsToCsv = ({ sessions }: HistorySessionList) => toCsv(SESSION_COLUMNS, sessions);
