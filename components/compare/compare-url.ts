/** What the address of a comparison says: two sides, how they are laid on each other, and the unit. */

export type Alignment = 'turns' | 'minutes';

/** A session, or one context of its main chain. */
export interface SideRef {
  session: string;
  /** Null: the whole session. */
  context: number | null;
}

export interface CompareUrl {
  a: SideRef | null;
  b: SideRef | null;
  by: Alignment;
  /** Shares of each side's own limit, or tokens. */
  unit: 'percent' | 'tokens';
}

type Params = Pick<URLSearchParams, 'get'>;

export function readCompareUrl(params: Params): CompareUrl {
  return {
    a: readSide(params.get('a')),
    b: readSide(params.get('b')),
    by: params.get('by') === 'minutes' ? 'minutes' : 'turns',
    unit: params.get('unit') === 'tokens' ? 'tokens' : 'percent',
  };
}

/** With its question mark, or empty; what is at its default is left out. */
export function writeCompareUrl({ a, b, by, unit }: CompareUrl): string {
  const params = new URLSearchParams();
  if (a) params.set('a', writeSide(a));
  if (b) params.set('b', writeSide(b));
  if (by !== 'turns') params.set('by', by);
  if (unit !== 'percent') params.set('unit', unit);
  return params.size === 0 ? '' : `?${params}`;
}

/** `<session>` or `<session>.<context>`; null: nothing is named. What is no id is kept: the page says that it is none. */
export function readSide(value: string | null): SideRef | null {
  if (value === null || value.trim() === '') return null;
  const [, session = '', context] = /^(.*?)(?:\.(\d{1,9}))?$/.exec(value.trim()) ?? [];
  return { session, context: context === undefined ? null : Number(context) };
}

export function writeSide({ session, context }: SideRef): string {
  return context === null ? session : `${session}.${context}`;
}

export function comparePath(a: SideRef, b: SideRef | null = null): string {
  return `/compare${writeCompareUrl({ a, b, by: 'turns', unit: 'percent' })}`;
}

/** Where one goes from here: the address with some of it changed. */
export function changedPath(url: CompareUrl, change: Partial<CompareUrl>): string {
  return `/compare${writeCompareUrl({ ...url, ...change })}`;
}
