import { useMutation } from '@tanstack/react-query';
import type { Alert } from '@/core/api/alerts';
import { useMay } from '../preferences/viewer';
import { Button } from '../ui/button';
import { Notice } from '../ui/form-parts';
import { acknowledge, MUTE_MINUTES, muteSession } from './alert-actions';

/** Actions on an open alert. None for viewers, because the server refuses theirs. */
export function AlertButtons({ alert }: { alert: Alert }) {
  const { id, rule, phase, acknowledgedAt, session, mutedUntil, project } = alert;
  const may = useMay();
  const { mutate, error, isPending } = useMutation({ mutationFn: (act: () => Promise<unknown>) => act() });
  if (!may('operate', project)) return null;
  const [word, minutes, effect] =
    mutedUntil === null
      ? ['Mute 1 h', MUTE_MINUTES, 'No messages about this session for an hour.']
      : ['Unmute', 0, 'Send messages again.'];
  return (
    <div className="inline-flex gap-[6px] whitespace-nowrap max-md:flex-wrap">
      <Notice failure={error} />
      {phase === 'pending' || acknowledgedAt !== null ? null : (
        <Button
          disabled={isPending}
          aria-label={`Acknowledge ${rule.name}`}
          onClick={() => mutate(() => acknowledge(id))}
        >
          Acknowledge
        </Button>
      )}
      {session === null ? null : (
        <Button
          disabled={isPending}
          aria-label={`${word} ${session.title ?? session.key}`}
          title={effect}
          onClick={() => mutate(() => muteSession(session.id, minutes))}
        >
          {word}
        </Button>
      )}
    </div>
  );
}
