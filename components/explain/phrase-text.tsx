import type { Phrase } from '@/core/explain/explanation';
import { formatPart } from './format-value';
import { keyed, partName } from './keyed';

/** A sentence with its numbers set as numbers. */
export function PhraseText({ phrase, zone }: { phrase: Phrase; zone: string }) {
  return keyed(phrase, partName).map(({ key, item: part }) =>
    typeof part === 'string' ? (
      part
    ) : 'atMs' in part ? (
      <time key={key} dateTime={new Date(part.atMs).toISOString()}>
        {formatPart(part, zone)}
      </time>
    ) : (
      <span key={key} className="num">
        {formatPart(part, zone)}
      </span>
    ),
  );
}
