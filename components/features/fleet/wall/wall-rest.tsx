import type { Session } from '@/core/api/session';
import { formatMinutes } from '../../../format/format-duration';
import { formatExact } from '../../../format/format-tokens';
import { StateLabel } from '../../../ui/state-label';
import { describeRest } from './choose-wall';

interface WallRestProps {
  rest: readonly Session[];
  /** Sessions that have not arrived yet: of them only the number is known. */
  missing: number;
  /** The server's time, milliseconds. */
  now: number;
}

/** The last cell: sessions without a card. */
export function WallRest({ rest, missing, now }: WallRestProps) {
  const { count, firstMinutes, states } = describeRest(rest, now);
  return (
    <li className="wall-cell">
      <div className="wall-card wall-rest">
        <div className="wall-figures">
          <p className="wall-time">
            <span className="wall-figure">{formatExact(count + missing)}</span>
            <span className="wall-unit">more</span>
          </p>
          <div className="wall-lines">
            <p className="wall-lead">{firstMinutes === null ? 'none of them' : 'the first'}</p>
            <p>{firstMinutes === null ? 'counts down' : `in ${formatMinutes(firstMinutes)}`}</p>
          </div>
        </div>
        <p className="wall-states">
          {states.map((entry) => (
            <span key={entry.state} className="wall-state">
              <StateLabel state={entry.state} solid={false} />
              <span className="num">{formatExact(entry.count)}</span>
            </span>
          ))}
        </p>
      </div>
    </li>
  );
}
