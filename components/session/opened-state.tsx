import type { PressureState } from '@/core/accounting/types';
import type { Session, SessionEvent } from '@/core/api/session';
import { formatPercent } from '../format/format-percent';
import { formatExact } from '../format/format-tokens';
import { STATE_WORD, StateLabel } from '../ui/state-label';
import { word } from './describe-event';
import { Facts, shareWord, tokensWord } from './event-facts';

/** Where the pressure went: from one state to another, past a line, past the limit. */
export default function OpenedState({ event, session }: { event: SessionEvent; session: Session }) {
  const { detail } = event;
  switch (event.kind) {
    case 'state_changed':
      return (
        <Facts
          rows={[
            ['from', <State key="from" name={word(detail.from)} />],
            ['to', <State key="to" name={word(detail.to)} />],
            ['pressure', shareWord(detail.pressure)],
            ['turn', formatExact(event.turn)],
          ]}
        />
      );
    case 'redlined':
      return (
        <Facts
          rows={[
            ['used', tokensWord(detail.used)],
            ['limit', tokensWord(detail.limit)],
            ['turn', formatExact(event.turn)],
          ]}
        />
      );
    default:
      return (
        <Facts
          rows={[
            ['pressure', shareWord(detail.pressure)],
            ['restart line', session.restartLine === null ? 'never' : formatPercent(session.restartLine)],
            ['turn', formatExact(event.turn)],
          ]}
        />
      );
  }
}

function State({ name }: { name: string }) {
  if (!Object.hasOwn(STATE_WORD, name)) return name || 'not stated';
  return <StateLabel state={name as PressureState} hang />;
}
