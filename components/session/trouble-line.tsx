import type { Session, SessionEvent } from '@/core/api/session';
import { TROUBLE_WORD, TroubleGlyph } from '../ui/trouble-glyph';
import { FiguresText } from './figures-text';

interface TroubleLineProps {
  session: Session;
  events: readonly SessionEvent[];
  open: (eventId: string) => void;
}

/** What goes wrong in the session at present, why, and the way to its moment. */
export function TroubleLine({ session, events, open }: TroubleLineProps) {
  const { trouble, liveness } = session;
  if (trouble === null || liveness === 'ended') return null;
  const event = events.findLast(
    ({ kind, chain, turn }) => kind === trouble.kind && chain === 'main' && turn === trouble.turn,
  );
  return (
    <p role="status" className="flex flex-wrap items-center gap-x-[8px] border-b border-hair py-[8px]">
      <TroubleGlyph kind={trouble.kind} />
      <b>{TROUBLE_WORD[trouble.kind]}</b>
      <span>
        <FiguresText text={trouble.sentence} />
      </span>
      {event === undefined ? null : (
        <button type="button" className="link text-small text-ink2" onClick={() => open(event.id)}>
          show the moment
        </button>
      )}
    </p>
  );
}
