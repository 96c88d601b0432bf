import { Fragment, useMemo } from 'react';
import { cacheShareOf } from '@/core/accounting/counts';
import { tokensUntilEnd } from '@/core/accounting/next-boundary';
import { DEFAULT_THRESHOLDS } from '@/core/accounting/thresholds';
import type { SeriesPoint } from '@/core/api/series';
import type { SessionFigure } from '@/core/explain/explain-session';
import { clientName } from '../../format/boundary-words';
import { formatPercent } from '../../format/format-percent';
import { formatCount, formatExact, formatTokens } from '../../format/format-tokens';
import { limitSign, limitSourceWords } from '../../format/session-words';
import { FiguresText } from '../../ui/figures-text';
import { Figure, Quiet, useSessionPage } from './session-page';
import { shortFolder, turnsSincePassed } from './session-words';

type Fact = [name: string, value: React.ReactNode, title?: string | null];

/** Twelve facts, which fill rows of two, four or six. */
export function SessionFacts() {
  const { session, points } = useSessionPage();
  const peak = useMemo(() => openPeak(points), [points]);
  const { limit, limitDate, compactsAt, compactionPassed, restartLine, model, host, folder, branch } =
    session;
  const client = session.client === null ? 'not stated' : clientName(session.client);
  const program = [[client, session.clientVersion].filter(Boolean).join(' '), host]
    .filter(Boolean)
    .join(', ');
  const { warning } = session.bounds ?? DEFAULT_THRESHOLDS;
  const { all } = session.totals;
  const cacheShare = cacheShareOf(all);
  const why = (figure: SessionFigure, name: string, value: React.ReactNode, className = '') => (
    <Figure figure={figure} name={name} className={className}>
      {value}
    </Figure>
  );
  const passed = (line: number | null) => (line === null ? null : turnsSincePassed(points, Math.floor(line)));
  const passedShare = (share: number) => passed(limit === null ? null : share * limit);
  const notStated = <Quiet>not stated</Quiet>;
  const left = (figure: SessionFigure, tokens: number | null, since: number | null) =>
    why(figure, 'tokens left', leftWords(tokens, since));
  const until: Fact[] = [
    [
      compactsAt === null ? 'until the limit' : 'until it compacts',
      left('until-end', tokensUntilEnd(session), passed(compactsAt ?? limit)),
      compactionPassed === null ? null : `Passed ${formatTokens(compactionPassed)}, no compaction seen`,
    ],
    [
      `until warning, ${formatPercent(warning)}`,
      left('until-warning', session.tokensUntilWarning, passedShare(warning)),
    ],
  ];
  if (restartLine !== null && restartLine <= 1) {
    const since = session.restartLinePassed?.turnsSince ?? passedShare(restartLine);
    const value = left('until-restart', session.tokensUntilRestart, since);
    until.push([`until restart line, ${formatPercent(restartLine)}`, value]);
  } else {
    until.push(['until restart line', why('until-restart', 'tokens left', <Quiet>never restarts</Quiet>)]);
  }
  const rates = [
    { figure: 'a-minute', tokens: session.tokensPerMinute, per: '/min' },
    { figure: 'a-turn', tokens: session.tokensPerTurn, per: '/turn' },
  ] as const;
  const known = rates.filter(({ tokens }) => tokens !== null);
  const burn = known.map(({ figure, tokens, per }, index) => (
    <Fragment key={figure}>
      {index === 0 ? '' : ', '}
      {why(figure, 'burn rate', `${formatTokens(tokens ?? 0, { fine: true })}${per}`, 'num')}
    </Fragment>
  ));
  const peakWords =
    limit === null || limit <= 0 ? formatTokens(peak ?? 0) : formatPercent((peak ?? 0) / limit);
  const limitWords =
    limit === null ? (
      <Quiet>unknown</Quiet>
    ) : (
      <>
        <span className="num">{`${limitSign(session.limitSource)}${formatExact(limit)}`}</span>{' '}
        <span className="text-ink2" title={limitDate ?? undefined}>
          {limitSourceWords(session.limitSource)}
          {limitDate === null ? null : <span className="sr-only">, {limitDate}</span>}
        </span>
      </>
    );
  const cached =
    cacheShare === null ? (
      <Quiet>unknown</Quiet>
    ) : (
      <>
        {why('cache-share', 'from the cache', formatPercent(cacheShare), 'num')} <Quiet>of the input</Quiet>
      </>
    );
  const facts: Fact[] = [
    ...until,
    ['burn', known.length === 0 ? why('a-turn', 'burn rate', <Quiet>too early to say</Quiet>) : burn],
    [
      session.liveness === 'ended' ? 'last context' : 'open context',
      <>
        {why('context', 'number of the context', formatExact(session.contextCount - 1), 'num')}
        {peak === null ? null : (
          <Quiet>, peak {why('peak', 'peak of the open context', peakWords, 'num')}</Quiet>
        )}
      </>,
    ],
    ['limit', why('limit', 'limit', limitWords)],
    ['model', model ?? notStated, model],
    ['client, host', program, program],
    ['input + output so far', why('spent', 'tokens spent', formatTokens(all.input + all.output), 'num')],
    ['from the cache', cached],
    ['folder', folder === null ? notStated : shortFolder(folder), folder],
    ['branch', branch ?? notStated, branch],
  ];
  // A long value wraps. A value with a title wraps only on narrow screens, because the title shows the whole value.
  return (
    <dl className="grid grid-cols-2 gap-x-[20px] gap-y-[10px] md:grid-cols-4 min-[87.5rem]:grid-cols-[minmax(0,0.76fr)_minmax(0,0.96fr)_minmax(0,1.11fr)_minmax(0,1.01fr)] min-[125rem]:max-w-[1440px] min-[125rem]:grid-cols-[repeat(6,minmax(0,1fr))]">
      {facts.map(([name, value, title]) => (
        <div key={name} className="min-w-0">
          <dt className="truncate text-small text-ink2">
            <FiguresText text={name} />
          </dt>
          <dd className={`[overflow-wrap:anywhere] ${title ? 'md:truncate' : ''}`} title={title || undefined}>
            {value}
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The highest value of the last context in the series, tokens. Thinned points keep their peak. */
function openPeak(points: readonly SeriesPoint[]): number | null {
  const open = points.at(-1)?.context;
  const peaks = points.flatMap(({ context, max }) => (context !== open || max === null ? [] : [max]));
  return peaks.length === 0 ? null : Math.max(...peaks);
}

/** Tokens left until a line, or the number of turns since the line was passed. */
function leftWords(tokens: number | null, passed: number | null) {
  if (tokens === null) return <Quiet>unknown</Quiet>;
  if (tokens > 0) return <span className="num">{formatExact(tokens)}</span>;
  if (passed === null) return 'passed';
  if (passed === 0) return 'passed with the last turn';
  return <FiguresText text={`passed ${formatCount(passed, 'turn')} ago`} />;
}
