import type { Output } from './command';

const BAR_CELLS = 24;
const FRAME_MS = 80;
const LINE_MS = 5_000;

export interface Shown {
  /** 0 to 1. */
  share: number;
  text: string;
  detail: string;
}

/** A bar that redraws itself on a terminal; elsewhere a plain line every few seconds. */
export function showProgress(out: Output, now: () => number): (shown: Shown) => void {
  let nextAt = now() + (out.isTerminal ? 0 : LINE_MS);
  return ({ share, text, detail }) => {
    const at = now();
    if (at < nextAt) return;
    nextAt = at + (out.isTerminal ? FRAME_MS : LINE_MS);
    const percent = `${String(Math.floor(share * 100)).padStart(3)} %`;
    if (!out.isTerminal) {
      out.line(`${percent}  ${text}`);
      return;
    }
    const full = Math.round(share * BAR_CELLS);
    out.progress(`${'━'.repeat(full)}${'─'.repeat(BAR_CELLS - full)} ${percent}  ${text}  ${detail}`);
  };
}
