/** The code of the answers, read once: as soon as a question is likely. */
const load = () => import('./why-popover');

export function importAnswer() {
  return load();
}

/** A chunk that does not come is asked for again when the answer opens. */
export function loadAnswer(): void {
  load().catch(() => undefined);
}
