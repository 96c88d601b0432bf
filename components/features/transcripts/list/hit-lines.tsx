import Link from 'next/link';
import type { SearchHit } from '@/core/api/transcripts';
import { formatCount, formatExact } from '../../../format/format-tokens';
import { markedParts } from '../text/marked-parts';
import { PlainText } from '../text/plain-text';

interface HitLinesProps {
  id: string;
  hits: readonly SearchHit[];
  /** Places in the whole transcript; null: not counted. */
  total: number | null;
  words: string;
}

/** Matches with their context, as links to their place. */
export function HitLines({ id, hits, total, words }: HitLinesProps) {
  const rest = total === null ? 0 : total - hits.length;
  return (
    <ul>
      {hits.map((hit) => (
        <li key={`${hit.line} ${hit.excerpt}`} className="hit">
          <span className="num text-small text-ink2">line {formatExact(hit.line + 1)}</span>
          <Link
            href={`/transcripts/${id}?${new URLSearchParams({ q: words, line: String(hit.line) })}`}
            prefetch={false}
            className="min-w-0 [overflow-wrap:anywhere] hover:underline hover:decoration-hair2 hover:underline-offset-[3px]"
          >
            <bdi>
              {markedParts(hit.excerpt, hit.marks).map(({ text, from, isMarked }) =>
                isMarked ? (
                  <mark key={from} className="found">
                    <PlainText text={text} />
                  </mark>
                ) : (
                  <PlainText key={from} text={text} />
                ),
              )}
            </bdi>
          </Link>
        </li>
      ))}
      {rest > 0 ? (
        <li className="hit text-small text-ink2">
          <span />
          <span>and {formatCount(rest, 'more match', 'more matches')}</span>
        </li>
      ) : null}
    </ul>
  );
}
