import type { Forecast } from '../api/session';
import { countDown } from '../forecast/count-down';
import type { GrowthRecord } from '../forecast/growth-record';
import type { LensName } from '../protocol/items';
import type { BoundaryAhead } from './next-boundary';

/** What will happen first and when; null where no boundary is known, or the last one is passed. */
export function forecastOf(
  ahead: BoundaryAhead | null,
  record: Readonly<GrowthRecord>,
  lens: LensName,
): Forecast | null {
  if (ahead === null || ahead.passed) return null;
  const { kind, at, left } = ahead;
  return { kind, at, ...countDown(record, left, at, lens) };
}
