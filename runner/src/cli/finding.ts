/** One thing that `barograph doctor` looked at. */
export interface Finding {
  state: 'ok' | 'note' | 'wrong';
  topic: string;
  text: string;
  /** What to do about it. */
  remedy?: string;
}
