'use client';
import { useRouter } from 'next/navigation';
import { type RefObject, useEffect, useEffectEvent } from 'react';
import { isShortcut, useShortcut } from './use-shortcut';

const STICKY_PX = 70;

interface RowKeys {
  list: RefObject<HTMLElement | null>;
  count: number;
  scrollTo: (index: number) => void;
  /** Selects or deselects a row; without it rows cannot be selected. */
  choose?: (index: number) => void;
  /** Height of sticky elements over the rows, pixels. */
  coveredPx?: number;
}

/**
 * `j` and `k` move the focus through the rows, `e` explains the row's next boundary, `x` selects the row,
 * `Esc` leaves them; a click anywhere on a row opens it.
 */
export function useRowKeys({ list, count, scrollTo, choose, coveredPx = STICKY_PX }: RowKeys): void {
  const router = useRouter();

  function focusedRow(): HTMLElement | null {
    const row = document.activeElement?.closest<HTMLElement>('[data-row]') ?? null;
    return list.current?.contains(row) ? row : null;
  }
  function move(step: 1 | -1): void {
    const root = list.current;
    if (root === null || count === 0) return;
    const row = focusedRow();
    const index = row ? Number(row.dataset.row) + step : firstVisible(root, step, coveredPx);
    const target = Math.min(count - 1, Math.max(0, index));
    if (focusRow(root, target)) return;
    // The row is drawn one frame after the list scrolled there.
    scrollTo(target);
    requestAnimationFrame(() => requestAnimationFrame(() => focusRow(root, target)));
  }
  useShortcut('j', () => move(1));
  useShortcut('k', () => move(-1));
  useShortcut('e', () => focusedRow()?.querySelector<HTMLElement>('.c-next .why')?.click());
  useShortcut('x', () => {
    const row = focusedRow();
    if (row) choose?.(Number(row.dataset.row));
  });

  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isShortcut(event)) return;
    const active = document.activeElement;
    if (active instanceof HTMLElement && list.current?.contains(active)) active.blur();
  });
  const onClick = useEffectEvent((event: MouseEvent) => {
    // With these keys, the browser opens a link in another tab or window.
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (!(event.target instanceof Element) || getSelection()?.isCollapsed === false) return;
    const link = event.target.closest('[data-row]')?.querySelector<HTMLAnchorElement>('a[href]');
    const pressed = event.target.closest('a, button, select, input');
    if (!link || (pressed !== null && pressed !== link)) return;
    event.preventDefault();
    router.push(link.pathname + link.search);
  });
  useEffect(() => {
    const root = list.current;
    document.addEventListener('keydown', onKey);
    root?.addEventListener('click', onClick);
    return () => {
      document.removeEventListener('keydown', onKey);
      root?.removeEventListener('click', onClick);
    };
  }, [list]);
}

function focusRow(root: HTMLElement, index: number): boolean {
  const row = root.querySelector<HTMLElement>(`[data-row="${index}"]`);
  if (row === null) return false;
  row.querySelector<HTMLElement>('a')?.focus({ preventScroll: true });
  row.scrollIntoView({ block: 'nearest' });
  return true;
}

/** The row to focus first: for `j` the first row on screen, for `k` the row above. */
function firstVisible(root: HTMLElement, step: 1 | -1, coveredPx: number): number {
  const seen = [...root.querySelectorAll<HTMLElement>('[data-row]')]
    .filter((row) => row.getBoundingClientRect().top >= coveredPx)
    .map((row) => Number(row.dataset.row));
  return seen.length === 0 ? 0 : Math.min(...seen) - (step === 1 ? 0 : 1);
}
