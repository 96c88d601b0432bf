import { createLoader, createParser, type inferParserType, parseAsStringLiteral } from 'nuqs/server';

/** A session, or one context of its main chain. */
export interface SideRef {
  session: string;
  /** Null: the whole session. */
  context: number | null;
}

/** `<session>` or `<session>.<context>`. An invalid id is kept, so that the page can report it. */
const parseAsSide = createParser<SideRef>({
  parse: (value) => {
    const [, session = '', context] = /^(.*?)(?:\.(\d{1,9}))?$/.exec(value.trim()) ?? [];
    return session === '' ? null : { session, context: context === undefined ? null : Number(context) };
  },
  serialize: ({ session, context }) => (context === null ? session : `${session}.${context}`),
  eq: (a, b) => a.session === b.session && a.context === b.context,
});

export const COMPARE_PARSERS = {
  a: parseAsSide,
  b: parseAsSide,
  by: parseAsStringLiteral(['turns', 'minutes']).withDefault('turns'),
  /** Share of each side's own limit, or tokens. */
  unit: parseAsStringLiteral(['percent', 'tokens']).withDefault('percent'),
};

export type CompareUrl = inferParserType<typeof COMPARE_PARSERS>;
export type Alignment = CompareUrl['by'];

export const loadCompareUrl = createLoader(COMPARE_PARSERS);
