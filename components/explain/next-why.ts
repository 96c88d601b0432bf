/** The numbers of one row, walked by key. */

/** The number that follows this one in its row, or comes before it, round the end; null: it is in no row, or alone. */
export function nextWhy(anchor: HTMLElement, step: 1 | -1): HTMLElement | null {
  const row = anchor.closest('[data-row]');
  if (row === null) return null;
  const all = [...row.querySelectorAll<HTMLElement>('.why')].filter((why) => why.checkVisibility());
  const at = all.indexOf(anchor);
  const next = all[(at + step + all.length) % all.length];
  return at === -1 || next === undefined || next === anchor ? null : next;
}
