import type { Compacting, Forecast, Session } from '@/core/api/session';
import { SessionWhy } from '../explain/session-why';
import { clientName } from '../format/boundary-words';
import { betweenWords, turnsRange, turnsUnit } from '../format/forecast-words';
import { formatExact } from '../format/format-tokens';
import { Ago } from '../ui/ago';

export function WhoCompacts({ client, trigger }: Pick<Session, 'client'> & Pick<Compacting, 'trigger'>) {
  return (
    <>
      <b>{clientName(client)} compacts</b>
      {trigger === 'manual' ? ', requested manually' : null}
    </>
  );
}

export function Announced({ at }: Pick<Compacting, 'at'>) {
  return (
    <>
      announced <Ago at={at} /> ago
    </>
  );
}

export function MinutesRange({ minutes }: { minutes: NonNullable<Forecast['minutes']> }) {
  return (
    <span className="block text-ink2" title="Right 80 % of the time">
      {betweenWords(minutes)}
    </span>
  );
}

/** `12 turns (7–20)`, with its explanation. */
export function TurnsRange({ session, turns }: { session: Session; turns: NonNullable<Forecast['turns']> }) {
  return (
    <span className="block">
      <SessionWhy session={session} figure="turns" name="to the next boundary">
        <span className="whitespace-nowrap">
          <span className="num strong">{formatExact(turns.mid)}</span> {turnsUnit(turns.mid)}
        </span>{' '}
        <span className="num text-ink2">({turnsRange(turns)})</span>
      </SessionWhy>
    </span>
  );
}
