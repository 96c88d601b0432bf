/** History as tables: a line a slot and group, a line a session. */
import { type CsvCell, toCsv } from './csv';
import type { History, HistoryFigures, HistoryPoint, HistorySessionList } from './history';

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

/** Slots in which something happened; with groups a line for each of them that has points, else one for all. */
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
