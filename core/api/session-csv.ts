/** Turns and events of a session as tables, a line each. The heads name the unit of what has one. */
import type { CsvCell } from './csv';
import type { SessionEvent, TurnRow } from './session';

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

/** Counts that were not reported are empty cells, never 0; flags are words with spaces between. */
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
