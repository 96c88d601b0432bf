import type { SessionEvent } from '@/core/api/session';
import { word } from './describe-event';
import { Facts, numberWord, shareWord, tokensWord } from './event-facts';
import { TextBlock } from './text-block';
import type { HeldDetails } from './use-event-details';

interface OpenedRestartProps {
  event: SessionEvent;
  /** Its texts in full, where the list cut them. */
  more: HeldDetails;
}

/** What the old context left to the new one, and what the new one began with. */
export default function OpenedRestart({ event, more }: OpenedRestartProps) {
  const { detail } = event;
  const text = (name: 'checkpoint' | 'prompt', title: string) => {
    const listed = word(detail[name]);
    const whole = word(more.details?.event.detail[name]);
    const length = event.cut?.[name];
    if (listed === '') return null;
    if (length === undefined || whole !== '') return <TextBlock title={title} text={whole || listed} />;
    return <TextBlock title={title} text={listed} cut={{ length, failed: more.failed }} />;
  };
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
        {text('checkpoint', 'checkpoint') ?? (
          <p className="max-w-[64ch] text-ink2">
            No checkpoint text was sent. A runner whose content is switched off sends figures only.
          </p>
        )}
        {text('prompt', 'continuation prompt')}
      </div>
    </div>
  );
}
