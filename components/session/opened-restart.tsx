import type { SessionEvent } from '@/core/api/session';
import { word } from './describe-event';
import { Facts, numberWord, shareWord, tokensWord } from './event-facts';
import { TextBlock } from './text-block';

/** What the old context left to the new one, and what the new one began with. */
export default function OpenedRestart({ event: { detail } }: { event: SessionEvent }) {
  const checkpoint = word(detail.checkpoint);
  const prompt = word(detail.prompt);
  return (
    <div className="grid gap-x-[32px] gap-y-[16px] xl:grid-cols-[232px_minmax(0,1fr)]">
      <Facts
        rows={[
          ['continuation', numberWord(detail.continuation)],
          ['reason', word(detail.reason) || 'not stated'],
          ['pressure', shareWord(detail.pressure)],
          ['given up', tokensWord(detail.usedBefore)],
        ]}
      />
      <div className="grid min-w-0 gap-y-[16px]">
        {checkpoint === '' ? (
          <p className="max-w-[64ch] text-ink2">
            No checkpoint text was sent. A runner whose content is switched off sends figures only.
          </p>
        ) : (
          <TextBlock title="checkpoint" text={checkpoint} />
        )}
        {prompt === '' ? null : <TextBlock title="continuation prompt" text={prompt} />}
      </div>
    </div>
  );
}
