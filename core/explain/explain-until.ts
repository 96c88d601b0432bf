import { tokensUntilEnd } from '../accounting/next-boundary';
import type { Evidence } from '../api/evidence';
import type { Explanation, Phrase, Source } from './explanation';
import { say, share, tokens } from './explanation';
import { atLeast, type Expression, lineAt, subtract, value } from './formula';
import {
  certaintyCaveats,
  certaintyOf,
  limitSourceOf,
  unknownPhrase,
  untrackedPhrase,
  usedSource,
} from './standing';

interface Point {
  title: string;
  /** What draws it. */
  line: Source;
  meaning: Phrase;
  /** Where it lies, tokens; null: it needs a limit. */
  at: Expression | null;
  /** Tokens left, from the session. */
  result: number | null;
}

/** What an answer about tokens to a point has in common. */
function until(e: Evidence, { title, line, meaning, at, result }: Point): Explanation {
  const { session } = e;
  const base = {
    title,
    unit: 'tokens',
    steps: [],
    sources: [line, usedSource(e), limitSourceOf(e)],
  } as const;
  const without = { ...base, formula: null, result: null, certainty: 'not known', caveats: [] } as const;
  if (session.used === null) {
    const why = session.state === 'untracked' ? untrackedPhrase() : unknownPhrase(e);
    return { ...without, meaning: why };
  }
  if (at === null) return { ...without, meaning: say`Unknown without a limit.` };
  const expression = atLeast(0, 'tokens', subtract(at, value('used', session.used, 'tokens', 'used')));
  const certainty = certaintyOf(session);
  return {
    ...base,
    meaning,
    formula: { expression, name: 'left', unit: 'tokens' },
    result,
    certainty,
    caveats:
      certainty === 'at least'
        ? [say`Turns were lost, so this is an upper bound until the next boundary.`]
        : certaintyCaveats(session),
  };
}

function lineOf(name: string, line: number, limit: number | null): Expression | null {
  if (limit === null) return null;
  return lineAt(value(name, line, 'share'), value('limit', limit, 'tokens', 'limit'));
}

export function explainUntilWarning(e: Evidence): Explanation {
  const { warning } = e.thresholds;
  return until(e, {
    title: 'Tokens until warning',
    line: { name: 'line', from: say`${share(warning)}, a setting of project ${e.session.project}` },
    meaning: say`Tokens left before the session reaches the state warning, never below 0.`,
    at: lineOf('warning', warning, e.session.limit),
    result: e.session.tokensUntilWarning,
  });
}

export function explainUntilRestart(e: Evidence): Explanation {
  const { restartLine } = e.session;
  const title = 'Tokens until the restart line';
  const by =
    e.restartLineBy === 'session'
      ? 'declared by this session’s runner'
      : `a setting of project ${e.session.project}`;
  if (restartLine === null) {
    return {
      title,
      meaning: say`The line is above 100 %, which means never.`,
      formula: null,
      result: null,
      unit: 'tokens',
      certainty: 'not known',
      steps: [],
      sources: [{ name: 'line', from: say`${by}` }],
      caveats: [],
    };
  }
  return until(e, {
    title,
    line: { name: 'line', from: say`${share(restartLine)}, ${by}` },
    meaning: say`Tokens left before the restart line, never below 0.`,
    at: lineOf('restart line', restartLine, e.session.limit),
    result: e.session.tokensUntilRestart,
  });
}

/** Until the client compacts, or until the limit where it is not known to. */
export function explainUntilEnd(e: Evidence): Explanation {
  const { compaction, session } = e;
  if (compaction === null) {
    const { limit } = session;
    return until(e, {
      title: 'Tokens until the limit',
      line: { name: 'end', from: say`the limit; no known compaction point for this client` },
      meaning: say`Tokens left before the context window is full, never below 0.`,
      at: limit === null ? null : value('limit', limit, 'tokens', 'limit'),
      result: tokensUntilEnd(session),
    });
  }
  return until(e, {
    title: 'Tokens until it compacts',
    line: { name: 'point', from: compactionSource(e) },
    meaning: say`Tokens left before the client compacts automatically, at ${tokens(compaction.tokens)}, never below 0.`,
    at: value('compacts at', compaction.tokens, 'tokens'),
    result: tokensUntilEnd(session),
  });
}

function compactionSource(e: Evidence): Phrase {
  const { compaction } = e;
  if (compaction === null) return say`not known`;
  switch (compaction.source) {
    case 'client':
      return say`stated by the client`;
    case 'learned':
      return say`the lowest of the automatic compactions seen here: ${list(compaction.seen)}`;
    case 'rule':
      return say`a rule known of this client and version${compaction.seen.length === 0 ? '' : ', which the compactions seen here confirm'}`;
  }
}

function list(values: readonly number[]): Phrase {
  return values.flatMap((amount, index) => [...(index === 0 ? [] : [', ']), tokens(amount)]);
}
