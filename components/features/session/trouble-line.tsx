import type { Session } from '@/core/api/session';
import type { SessionEvent } from '@/core/events/event';
import { KINDS } from '@/core/events/kinds';
import { FiguresText } from '../../ui/figures-text';
import { TroubleGlyph } from '../../ui/glyphs';

interface TroubleLineProps {
  session: Session;
  events: readonly SessionEvent[];
  open: (eventId: string) => void;
}

/** Current trouble of the session, with a link to its event. */
export function TroubleLine({ session, events, open }: TroubleLineProps) {
  const { trouble, liveness } = session;
  if (trouble === null || liveness === 'ended') return null;
  const event = events.findLast(
    ({ kind, chain, turn }) => kind === trouble.kind && chain === 'main' && turn === trouble.turn,
  );
  return (
    <p role="status" className="flex flex-wrap items-center gap-x-[8px] border-b border-hair py-[8px]">
      <TroubleGlyph kind={trouble.kind} />
      <b>{KINDS[trouble.kind].label}</b>
      <span>
        <FiguresText text={trouble.sentence} />
      </span>
      {event === undefined ? null : (
        <button type="button" className="link text-small text-ink2" onClick={() => open(event.id)}>
          show event
        </button>
      )}
    </p>
  );
}
