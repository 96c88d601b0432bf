import type { Session } from '@/core/api/session';
import { formatExact } from '../format/format-tokens';
import { LeastRoom } from './least-room';

interface TooEarlyProps {
  /** Live sessions from warning on. */
  near: number;
  /** The three of them with the least room. */
  nearest: readonly Session[];
}

/**
 * Nobody can be named, said as large as a name would be: sessions stand near a boundary, and none of them has shown
 * enough turns to reckon with. Who has the least room left is what is known.
 */
export function TooEarly({ near, nearest }: TooEarlyProps) {
  return (
    <div className="too-early">
      <div>
        <p className="display">Too early to say</p>
        <p className="pt-[8px] text-ink2">
          {near === 1 ? 'The session' : `Of ${formatExact(near)} sessions`} near a boundary
          {near === 1 ? ' has' : ' none has'} shown enough turns yet: a forecast needs a few in the same
          context.
        </p>
      </div>
      <LeastRoom nearest={nearest} />
    </div>
  );
}
