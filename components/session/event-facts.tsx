/** Name and value of what an event says; the pieces that all opened events share. */
import { formatPercent } from '../format/format-percent';
import { formatExact } from '../format/format-tokens';
import { count } from './describe-event';
import { FiguresText } from './figures-text';

/** A text's numbers are set as numbers. */
export type Fact = [name: string, value: React.ReactNode];

export function Facts({ rows }: { rows: readonly Fact[] }) {
  return (
    <dl className="grid grid-cols-[88px_1fr] content-start gap-y-[3px]">
      {rows.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-ink2">{name}</dt>
          <dd className="min-w-0 [overflow-wrap:anywhere]">
            {typeof value === 'string' ? <FiguresText text={value} /> : value}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** What it means, under the figures. */
export function Sentence({ children }: { children: React.ReactNode }) {
  return <p className="mt-[10px] max-w-[64ch] text-ink2">{children}</p>;
}

/** Details come from runners: what is not of the expected kind is not shown as if it were. */
export function numberWord(value: unknown): string {
  const known = count(value);
  return known === null ? 'not stated' : formatExact(known);
}

export function tokensWord(value: unknown): string {
  const known = count(value);
  return known === null ? 'not known' : `${formatExact(known)} tokens`;
}

export function shareWord(value: unknown): string {
  const known = count(value);
  return known === null ? 'not known' : formatPercent(known);
}
