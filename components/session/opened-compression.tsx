import type { Session, SessionEvent } from '@/core/api/session';
import { formatCount, formatExact } from '../format/format-tokens';
import { CompactionBar } from './compaction-bar';
import { count } from './describe-event';
import { Facts, Sentence, tokensWord } from './event-facts';

/** Messages were removed, and the same context goes on. */
export default function OpenedCompression({ event, session }: { event: SessionEvent; session: Session }) {
  const { detail, turn } = event;
  const before = count(detail.before);
  const after = count(detail.after);
  const removed = count(detail.removed);
  return (
    <div className="grid gap-x-[32px] gap-y-[16px] xl:grid-cols-[360px_minmax(0,1fr)]">
      {before === null || after === null ? (
        <p className="text-ink2">The runner did not say how much it removed.</p>
      ) : (
        <CompactionBar
          seed={event.id}
          before={before}
          after={after}
          limit={event.chain === 'main' ? session.limit : null}
          afterWord="kept"
        />
      )}
      <div>
        <Facts
          rows={[
            ['removed', removed === null ? 'not stated' : formatCount(removed, 'message')],
            ['freed', before === null || after === null ? 'not known' : tokensWord(before - after)],
            ['after turn', formatExact(turn)],
          ]}
        />
        <Sentence>The context goes on: what was removed shows with the next reading.</Sentence>
      </div>
    </div>
  );
}
