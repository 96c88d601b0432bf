import { tokensUntilEnd } from '../accounting/next-boundary';
import type { Evidence } from '../api/evidence';
import { type Explanation, explained, type Phrase, say, share, tokens } from './explanation';
import { atLeast, type Expression, lineAt, subtract, value } from './formula';
import { certaintyCaveats, certaintyOf, limitSource, unknownPhrase, usedSource } from './standing';

interface Point {
  title: string;
  /** What draws it, by its name. */
  line: Readonly<Record<string, Phrase>>;
  meaning: Phrase;
  /** Where it lies, tokens; null: it needs a limit. */
  at: Expression | null;
  /** Tokens left, from the session. */
  result: number | null;
}

/** What an answer about tokens to a point has in common. */
function until(e: Evidence, { title, line, meaning, at, result }: Point): Explanation {
  const { session } = e;
  const sources = { ...line, used: usedSource(e), limit: limitSource(e) };
  if (session.used === null) return explained(title, 'tokens', { meaning: unknownPhrase(e), sources });
  if (at === null) return explained(title, 'tokens', { meaning: say`Unknown without a limit.`, sources });
  return explained(title, 'tokens', {
    meaning,
    formula: ['left', atLeast(0, subtract(at, value('used', session.used, 'tokens', 'used')))],
    result,
    certainty: certaintyOf(session),
    sources,
    caveats: session.complete
      ? certaintyCaveats(session)
      : [say`Turns were lost, so this is an upper bound until the next boundary.`],
  });
}

function lineOf(name: string, line: number, limit: number | null): Expression | null {
  if (limit === null) return null;
  return lineAt(value(name, line, 'share'), value('limit', limit, 'tokens', 'limit'));
}

export function explainUntilWarning(e: Evidence): Explanation {
  const { warning } = e.thresholds;
  return until(e, {
    title: 'Tokens until warning',
    line: { line: say`${share(warning)}, a setting of project ${e.session.project}` },
    meaning: say`Tokens left before the session reaches the state warning, never below 0.`,
    at: lineOf('warning', warning, e.session.limit),
    result: e.session.tokensUntilWarning,
  });
}

export function explainUntilRestart(e: Evidence): Explanation {
  const { restartLine, limit, project, tokensUntilRestart } = e.session;
  const title = 'Tokens until the restart line';
  const by =
    e.restartLineBy === 'session' ? 'declared by this session’s runner' : `a setting of project ${project}`;
  if (restartLine === null) {
    const meaning = say`The line is above 100 %, which means never.`;
    return explained(title, 'tokens', { meaning, sources: { line: say`${by}` } });
  }
  return until(e, {
    title,
    line: { line: say`${share(restartLine)}, ${by}` },
    meaning: say`Tokens left before the restart line, never below 0.`,
    at: lineOf('restart line', restartLine, limit),
    result: tokensUntilRestart,
  });
}

/** Until the client compacts, or until the limit where it is not known to. */
export function explainUntilEnd(e: Evidence): Explanation {
  const { compaction, session } = e;
  const result = tokensUntilEnd(session);
  if (compaction === null) {
    const { limit } = session;
    return until(e, {
      title: 'Tokens until the limit',
      line: { end: say`the limit; no known compaction point for this client` },
      meaning: say`Tokens left before the context window is full, never below 0.`,
      at: limit === null ? null : value('limit', limit, 'tokens', 'limit'),
      result,
    });
  }
  return until(e, {
    title: 'Tokens until it compacts',
    line: { point: compactionSource(compaction) },
    meaning: say`Tokens left before the client compacts automatically, at ${tokens(compaction.tokens)}, never below 0.`,
    at: value('compacts at', compaction.tokens, 'tokens'),
    result,
  });
}

function compactionSource({ source, seen }: NonNullable<Evidence['compaction']>): Phrase {
  switch (source) {
    case 'client':
      return say`stated by the client`;
    case 'learned': {
      const list = seen.flatMap((amount, index) => [...(index === 0 ? [] : [', ']), tokens(amount)]);
      return say`the lowest of the automatic compactions seen here: ${list}`;
    }
    case 'rule':
      return say`a rule known of this client and version${seen.length === 0 ? '' : ', which the compactions seen here confirm'}`;
  }
}
