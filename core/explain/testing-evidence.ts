/** Builds the evidence of a stream of items for tests, without a server. */
import type { Draft } from '../accounting/arbitrary-items.fixture';
import { itemOf } from '../accounting/arbitrary-items.fixture';
import { evidenceOf } from '../accounting/evidence-of';
import { emptySessionFold, foldItem } from '../accounting/fold';
import type { DerivedTurn } from '../accounting/fold-types';
import { summarizeSession } from '../accounting/summarize-session';
import { DEFAULT_THRESHOLDS } from '../accounting/thresholds';
import type { Evidence } from '../api/evidence';
import type { ItemOf } from '../protocol/items';

interface Row {
  turn: DerivedTurn;
  item: ItemOf<'turn'> | ItemOf<'reading'>;
}

const iso = (ms: number) => new Date(ms).toISOString();
const placeOf = (row: Row | undefined) =>
  row === undefined ? null : { number: row.turn.number, at: iso(row.turn.time) };

/** @param drafts of one session, in order. */
export function foldEvidence(drafts: readonly Draft[]): Evidence {
  const state = emptySessionFold();
  const rows: Row[] = [];
  drafts.forEach((draft, index) => {
    const item = itemOf(draft, index + 1);
    const input = { position: index + 1, at: draft.at, clockOff: false, source: 'transcript', item } as const;
    const result = foldItem(state, input, { thresholds: { ...DEFAULT_THRESHOLDS } });
    if (!result.ok) throw new Error(result.reason);
    const { turn } = result;
    if (turn?.chain !== 'main') return;
    if (item.type === 'turn' || item.type === 'reading') rows.push({ turn: structuredClone(turn), item });
  });
  const facts = evidenceOf(state, DEFAULT_THRESHOLDS);
  const { lastTurnAtMs, ended, ...figures } = summarizeSession(state, DEFAULT_THRESHOLDS);
  const open = rows.filter(({ turn }) => turn.context === facts.context.index);
  const counted = (row: Row) => !row.turn.flags.inherited && !row.turn.flags.readingOnly;
  const last = open.findLast(
    (row) => counted(row) && row.item.type === 'turn' && row.item.scope !== 'side' && !row.turn.flags.noUsage,
  );
  const usage = last?.item.type === 'turn' ? (last.item.usage ?? {}) : {};
  const peak = facts.context.peakOccupancy;
  const usedAfter = ({ turn }: Row) =>
    figures.lens === 'snapshot' ? turn.usedSnapshot : turn.usedCumulative;
  return {
    ...facts,
    session: {
      ...figures,
      id: '00000000-0000-4000-8000-000000000001',
      key: 'desk/one',
      title: null,
      project: 'atlas',
      runner: 'desk',
      host: null,
      folder: null,
      branch: null,
      clientSessionIds: [],
      lastEvent: null,
      sources: ['transcript'],
      coverage: [],
      previousId: null,
      forkedFromId: null,
      recomputing: false,
      startedAt: iso(0),
      lastTurnAt: lastTurnAtMs === null ? null : iso(lastTurnAtMs),
      endedAt: ended ? iso(lastTurnAtMs ?? 0) : null,
      liveness: ended ? 'ended' : 'live',
      compositionVersion: null,
      notesVersion: null,
      version: drafts.length,
    },
    reading:
      facts.reading === null
        ? null
        : {
            ...facts.reading,
            turn: placeOf(
              open.findLast(
                ({ item, turn }) => item.contextTokens !== undefined && !turn.flags.readingIgnored,
              ),
            ),
          },
    lastTurn:
      last === undefined
        ? null
        : {
            number: last.turn.number,
            at: iso(last.turn.time),
            input: Math.max(0, usage.input ?? 0),
            output: Math.max(0, usage.output ?? 0),
            cacheRead: Math.max(0, usage.cacheRead ?? 0),
            cacheCreation: Math.max(0, usage.cacheCreation ?? 0),
            limit: last.turn.limit,
          },
    newestTurn: placeOf(rows.findLast(counted)),
    peakTurn: peak === null ? null : placeOf(open.find((row) => usedAfter(row) === peak)),
  };
}
