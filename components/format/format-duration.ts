/** Ages are floored: `3 min` ago means three whole minutes. Durations and forecasts are rounded. */

const SPACE = '\u00a0';
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** `12 s`, `3 min`, `2 h`, `5 d`; `0 s` for a time in the future. */
export function formatAge(ageMs: number): string {
  const age = Math.max(0, ageMs);
  if (age < MINUTE) return `${Math.floor(age / SECOND)}${SPACE}s`;
  if (age < HOUR) return `${Math.floor(age / MINUTE)}${SPACE}min`;
  if (age < 2 * DAY) return `${Math.floor(age / HOUR)}${SPACE}h`;
  return `${Math.floor(age / DAY)}${SPACE}d`;
}

/** Whole minutes of a countdown, the sort key of lists; 0 below one minute. */
export function shownMinutes(minutes: number): number {
  return minutes < 1 ? 0 : Math.round(minutes);
}

/** Time until a boundary as value and unit, which may have different font sizes. */
export function splitMinutes(minutes: number): { value: string; unit: string } {
  const whole = shownMinutes(minutes);
  if (whole < 1) return { value: '<1', unit: 'min' };
  if (whole < 120) return { value: String(whole), unit: 'min' };
  const hours = Math.round(minutes / 60);
  return hours < 48
    ? { value: String(hours), unit: 'h' }
    : { value: String(Math.round(minutes / (24 * 60))), unit: 'd' };
}

export function formatMinutes(minutes: number): string {
  const { value, unit } = splitMinutes(minutes);
  return `${value}${SPACE}${unit}`;
}

/** `850 ms`, `77 s`, `12 min`, `2 h 05 min`. */
export function formatDuration(durationMs: number): string {
  const duration = Math.max(0, durationMs);
  if (Math.round(duration) < SECOND) return `${Math.round(duration)}${SPACE}ms`;
  const seconds = Math.round(duration / SECOND);
  if (seconds < 120) return `${seconds}${SPACE}s`;
  const minutes = Math.round(duration / MINUTE);
  if (minutes < 120) return `${minutes}${SPACE}min`;
  return `${Math.floor(minutes / 60)}${SPACE}h${SPACE}${String(minutes % 60).padStart(2, '0')}${SPACE}min`;
}
