/** The next or previous number of the same row, wrapping around; null: none. */
export function nextWhy(anchor: HTMLElement, step: 1 | -1): HTMLElement | null {
  const row = anchor.closest('[data-row]');
  if (row === null) return null;
  const all = [...row.querySelectorAll<HTMLElement>('.why')].filter((why) => why.checkVisibility());
  const at = all.indexOf(anchor);
  const next = all[(at + step + all.length) % all.length];
  return at === -1 || next === undefined || next === anchor ? null : next;
}
