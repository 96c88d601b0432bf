import type { Alert } from '@/core/api/alerts';

/** An alert that fired earlier is not news for a tab that was opened or reconnected since. */
const NEWS_MS = 2 * 60_000;

/**
 * The alerts to announce. @param known ids of the previous list; null: the first list, which announces nothing
 */
export function newNotices(
  alerts: readonly Alert[],
  known: ReadonlySet<string> | null,
  now: number,
): { shown: Alert[]; next: ReadonlySet<string> } {
  const firing = alerts.filter(({ phase }) => phase === 'firing');
  const shown = firing.filter(
    ({ id, pulledBy, mutedUntil, firedAt }) =>
      known !== null &&
      !known.has(id) &&
      pulledBy.includes('browser') &&
      mutedUntil === null &&
      now - Date.parse(firedAt ?? '') < NEWS_MS,
  );
  return { shown, next: new Set(firing.map(({ id }) => id)) };
}
