import { type Explanation, explained, say, share } from './explanation';
import { atMost, divide, multiply, value } from './formula';

export interface PlaceFacts {
  /** A tick as the example, and the width of the plot; null: none. */
  tick: { title: string; pressure: number; widthPx: number } | null;
}

/** The axis of every pressure ends here, as a share of the limit. */
const AXIS_END = 1.1;

/** The place of a session on the barcode. */
export function explainPlace({ tick }: PlaceFacts): Explanation {
  const placed = say`Each session is placed by its pressure, on an axis from 0 to 110 % of its own limit.`;
  return explained('Place on the barcode', 'pixels', {
    meaning:
      tick === null
        ? say`${placed} No shown session has a known pressure.`
        : say`${placed} The tick with a 1, ${tick.title}:`,
    formula: tick && [
      'from the left',
      multiply(
        atMost(
          1,
          divide(value('pressure', tick.pressure, 'share'), value('end of the axis', AXIS_END, 'share')),
        ),
        value('width of the plot', tick.widthPx, 'pixels'),
      ),
    ],
    sources: { pressure: say`each session’s own lens and limit, as in its row` },
    caveats: [
      say`A tick’s colour is the session’s state; an idle one is shorter. A session without a reading has no tick.`,
      say`From 500 sessions on the calm ones are drawn as density, in bins of 4 px: the higher, the more of them.`,
      say`Past ${share(AXIS_END)} a tick is at the right end.`,
    ],
  });
}
