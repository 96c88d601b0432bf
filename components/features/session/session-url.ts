'use client';
/** View state in the address, so that a link shows the same picture. */
import {
  createParser,
  type inferParserType,
  parseAsInteger,
  parseAsString,
  parseAsStringLiteral,
  useQueryStates,
} from 'nuqs';
import { useCallback, useMemo } from 'react';
import { LENSES } from '@/core/explain/lens-phrase';

/** An instant in ISO 8601, as milliseconds. */
const parseAsInstant = createParser({
  parse: (value) => {
    const at = Date.parse(value);
    return Number.isNaN(at) ? null : at;
  },
  serialize: (at: number) => new Date(Math.round(at)).toISOString(),
});

const parseAsYes = createParser({
  parse: (value) => value === 'yes',
  serialize: (isOn: boolean) => (isOn ? 'yes' : 'no'),
}).withDefault(false);

const PARSERS = {
  axis: parseAsStringLiteral(['time', 'turns']).withDefault('time'),
  /** The lens drawn over the session's own lens. */
  lens: parseAsStringLiteral(LENSES),
  /** Zoomed range; an open end follows the session. */
  from: parseAsInstant,
  to: parseAsInstant,
  /** Shows input and output: their sums in each context above the trace, and each turn in a panel below the trace. */
  sums: parseAsYes,
  agents: parseAsYes,
  event: parseAsString,
  /** Position of the crosshair while no pointer is on the sheet. */
  at: parseAsInstant,
  /** A typed time that is not resolved yet; empty: the page asks for a time. */
  time: parseAsString,
  /** Chain of the open table of turns, and the context that filters the table. */
  turns: parseAsString,
  context: parseAsInteger,
  note: parseAsString,
};

export type SessionUrl = inferParserType<typeof PARSERS>;

/** The address as state. A change replaces the address, so that a walk over a chart leaves no history entries. */
export function useSessionUrl(): [SessionUrl, (change: Partial<SessionUrl>) => void] {
  const [query, set] = useQueryStates(PARSERS, { history: 'replace', shallow: true, scroll: false });
  const url = useMemo(() => {
    const isRange = query.from === null || query.to === null || query.from < query.to;
    return isRange ? query : { ...query, from: null, to: null };
  }, [query]);
  return [url, useCallback((change) => void set(change), [set])];
}
