'use client';
import { useInfiniteQuery } from '@tanstack/react-query';
import { formatBytes } from '../../../format/format-bytes';
import { PlainText } from '../text/masked-text';
import { sourceQuery } from '../transcript-queries';

/** The stored bytes piece by piece, for a file that could not be parsed. */
export function SourceView({ id }: { id: string }) {
  const { data, error, fetchNextPage, hasNextPage } = useInfiniteQuery(sourceQuery(id));
  const last = data?.pages.at(-1);
  return (
    <section aria-label="Source" className="pt-[14px]">
      <div className="as-it-is font-mono">
        {data?.pages.map(({ from, text }) => (
          <PlainText key={from} text={text} />
        ))}
      </div>
      <p role="status" className="border-t border-hair pt-[8px] text-small text-ink2">
        {last === undefined ? 'Loading the source' : `First ${formatBytes(last.to)}; secrets masked. `}
        {error === null ? '' : `Part not available: ${error.message}. The download has it.`}
      </p>
      {hasNextPage ? (
        <button type="button" className="button mt-[6px]" onClick={() => void fetchNextPage()}>
          Show more
        </button>
      ) : null}
    </section>
  );
}
