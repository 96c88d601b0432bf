import { useMemo } from 'react';
import type { HistoryFacts, HistoryFigure } from '@/core/explain/explain-history';
import { Why } from '../explain/why';

interface HistoryWhyProps {
  figure: HistoryFigure;
  facts: HistoryFacts;
  name: string;
  title?: string;
  children: React.ReactNode;
}

/** A number of a range that answers "why?". */
export function HistoryWhy({ figure, facts, ...rest }: HistoryWhyProps) {
  const question = useMemo(() => ({ about: 'history', figure, facts }) as const, [figure, facts]);
  return <Why of={question} {...rest} />;
}

const NAMES: Record<HistoryFigure, true> = {
  peak: true,
  cacheShare: true,
  turns: true,
  input: true,
  output: true,
  cacheRead: true,
  restarts: true,
  compactions: true,
  thrashes: true,
  cacheStorms: true,
};

/** Whether a column is one of the figures that can be explained. */
export function isHistoryFigure(name: string): name is HistoryFigure {
  return Object.hasOwn(NAMES, name);
}
