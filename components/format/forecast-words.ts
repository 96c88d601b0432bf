/** Forecasts in words: middle, range, and why there is none. */
import type { Forecast, Session } from '@/core/api/session';
import { formatMinutes, splitMinutes } from './format-duration';
import { formatExact } from './format-tokens';

type Range = NonNullable<Forecast['turns']>;

/** `between 9 and 33`, with units if they differ; `in <1 min` if both ends are equal. */
export function betweenWords(minutes: Range): string {
  const [low, mid, high] = [splitMinutes(minutes.low), splitMinutes(minutes.mid), splitMinutes(minutes.high)];
  if (low.unit === high.unit && low.value === high.value) return `in ${formatMinutes(minutes.high)}`;
  if (low.unit === mid.unit && high.unit === mid.unit) return `between ${low.value} and ${high.value}`;
  return `between ${formatMinutes(minutes.low)} and ${formatMinutes(minutes.high)}`;
}

export function minutesRange({ low, high }: Range): string {
  const [from, to] = [splitMinutes(low), splitMinutes(high)];
  if (from.unit !== to.unit) return `${formatMinutes(low)} – ${formatMinutes(high)}`;
  return from.value === to.value ? formatMinutes(high) : `${from.value}–${formatMinutes(high)}`;
}

/** `9–25`; one number if both ends are equal. */
export function turnsRange({ low, high }: Range): string {
  return low === high ? formatExact(low) : `${formatExact(low)}–${formatExact(high)}`;
}

export function turnsUnit(turns: number): string {
  return turns === 1 ? 'turn' : 'turns';
}

export function silentWords(forecast: Session['forecast']): string {
  return forecast?.certainty === 'still' ? 'not growing' : 'no forecast yet';
}

export function forecastSentence(forecast: Session['forecast']): string {
  if (forecast?.turns == null) return silentWords(forecast);
  const minutes = forecast.minutes === null ? '' : `, ${minutesRange(forecast.minutes)} of activity`;
  const { mid } = forecast.turns;
  return `about ${formatExact(mid)} ${turnsUnit(mid)} (${turnsRange(forecast.turns)})${minutes}; right 80 % of the time`;
}
