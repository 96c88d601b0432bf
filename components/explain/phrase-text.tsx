import type { Phrase } from '@/core/explain/explanation';
import { formatPart } from './format-value';

/** A sentence with its numbers set as numbers. */
export function PhraseText({ phrase, zone }: { phrase: Phrase; zone: string }) {
  return phrase.map((part, index) =>
    typeof part === 'string' ? (
      part
    ) : 'atMs' in part ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence have no other name
      <time key={index} dateTime={new Date(part.atMs).toISOString()}>
        {formatPart(part, zone)}
      </time>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: as above
      <span key={index} className="num">
        {formatPart(part, zone)}
      </span>
    ),
  );
}
