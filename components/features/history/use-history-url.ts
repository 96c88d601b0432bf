'use client';
import { parseAsIsoDateTime, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { HISTORY_GROUPINGS } from '@/core/history/groupings';
import { DEFAULT_RANGE, RANGE_NAMES } from '../../format/range-names';
import { SESSION_SORTS } from './history-words';

const PARSERS = {
  // Kept in the address also at its default: another may be preferred by this browser.
  range: parseAsStringLiteral(RANGE_NAMES).withDefault(DEFAULT_RANGE).withOptions({ clearOnDefault: false }),
  from: parseAsIsoDateTime,
  to: parseAsIsoDateTime,
  by: parseAsStringLiteral(HISTORY_GROUPINGS).withDefault('project'),
  project: parseAsString,
  runner: parseAsString,
  model: parseAsString,
  sort: parseAsStringLiteral(SESSION_SORTS).withDefault('thrash'),
};

/** What the address says about the picture, and how to change it: a link shows a colleague the same. */
export function useHistoryUrl() {
  return useQueryStates(PARSERS, { history: 'replace', shallow: true, scroll: false });
}

export type HistoryUrl = ReturnType<typeof useHistoryUrl>[0];
export type ChangeHistoryUrl = (change: Partial<{ [K in keyof HistoryUrl]: HistoryUrl[K] | null }>) => void;
