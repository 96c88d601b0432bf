import { useMemo } from 'react';
import type { FleetFacts, FleetFigure } from '@/core/explain/explain-fleet';
import { Why } from '../explain/why';

interface FleetWhyProps {
  figure: FleetFigure;
  facts: FleetFacts;
  name: string;
  title?: string;
  className?: string;
  children: React.ReactNode;
}

/** A number of the whole fleet that answers "why?". */
export function FleetWhy({ figure, facts, ...rest }: FleetWhyProps) {
  const question = useMemo(() => ({ about: 'fleet', figure, facts }) as const, [figure, facts]);
  return <Why of={question} {...rest} />;
}
