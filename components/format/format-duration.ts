/** Ages and the time that is left. A unit is one letter in rows, a word where it stands alone. */

const SPACE = '\u00a0';
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long ago, in one unit, floored: `12 s`, `3 m`, `2 h`, `5 d`. A clock that runs ahead reads `0 s`. */
export function formatAge(ageMs: number): string {
  const age = Math.max(0, ageMs);
  if (age < MINUTE) return `${Math.floor(age / SECOND)}${SPACE}s`;
  if (age < HOUR) return `${Math.floor(age / MINUTE)}${SPACE}m`;
  if (age < 2 * DAY) return `${Math.floor(age / HOUR)}${SPACE}h`;
  return `${Math.floor(age / DAY)}${SPACE}d`;
}

/** Time until a boundary: value and unit apart, because the value may be 48 px high. Floored: never too late. */
export function splitMinutes(minutes: number): { value: string; unit: string } {
  if (minutes < 1) return { value: '<1', unit: 'min' };
  if (minutes < 120) return { value: String(Math.floor(minutes)), unit: 'min' };
  if (minutes < 48 * 60) return { value: String(Math.floor(minutes / 60)), unit: 'h' };
  return { value: String(Math.floor(minutes / (24 * 60))), unit: 'd' };
}

/** `18 min`, `<1 min`, `3 h`. */
export function formatMinutes(minutes: number): string {
  const { value, unit } = splitMinutes(minutes);
  return `${value}${SPACE}${unit}`;
}

/** Time that runs: `02:14`, `1:02:14`. */
export function formatStopwatch(elapsedMs: number): string {
  const seconds = Math.max(0, Math.floor(elapsedMs / SECOND));
  const two = (count: number) => String(count).padStart(2, '0');
  const clock = `${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
  return seconds < 3600 ? clock : `${Math.floor(seconds / 3600)}:${clock}`;
}

/** A measured span: `850 ms`, `77 s`, `12 min`, `2 h 05 min`. */
export function formatDuration(durationMs: number): string {
  const duration = Math.max(0, durationMs);
  if (duration < SECOND) return `${Math.round(duration)}${SPACE}ms`;
  if (duration < 2 * MINUTE) return `${Math.floor(duration / SECOND)}${SPACE}s`;
  if (duration < 2 * HOUR) return `${Math.floor(duration / MINUTE)}${SPACE}min`;
  const hours = Math.floor(duration / HOUR);
  const minutes = Math.floor((duration % HOUR) / MINUTE);
  return `${hours}${SPACE}h${SPACE}${String(minutes).padStart(2, '0')}${SPACE}min`;
}
