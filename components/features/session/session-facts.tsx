import { Fragment } from 'react';
import { tokensUntilEnd } from '@/core/accounting/next-boundary';
import { DEFAULT_THRESHOLDS } from '@/core/accounting/thresholds';
import type { SessionFigure } from '@/core/explain/explain-session';
import { clientName } from '../../format/boundary-words';
import { formatPercent } from '../../format/format-percent';
import { formatCount, formatExact, formatTokens } from '../../format/format-tokens';
import { limitSign, limitSourceWords } from '../../format/session-words';
import { FiguresText } from '../../ui/figures-text';
import { Figure, Quiet, useSessionPage } from './session-page';
import { shortFolder, turnsSincePassed } from './session-words';

type Fact = [name: string, value: React.ReactNode, title?: string | null];

/** Eight facts, which fill rows of two or four. */
export function SessionFacts() {
  const { session, points } = useSessionPage();
  const { limit, limitDate, compactsAt, compactionPassed, restartLine, model, host, folder, branch } =
    session;
  const client = session.client === null ? 'not reported' : clientName(session.client);
  const program = [[client, session.clientVersion].filter(Boolean).join(' '), host];
  const { warning } = session.bounds ?? DEFAULT_THRESHOLDS;
  const why = (figure: SessionFigure, name: string, value: React.ReactNode, className = '') => (
    <Figure figure={figure} name={name} className={className}>
      {value}
    </Figure>
  );
  const passed = (line: number | null) => (line === null ? null : turnsSincePassed(points, Math.floor(line)));
  const passedShare = (share: number) => passed(limit === null ? null : share * limit);
  const notStated = <Quiet>not reported</Quiet>;
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
  const place = [folder && shortFolder(folder), branch];
  const facts: Fact[] = [
    ...until,
    ['burn', known.length === 0 ? why('a-turn', 'burn rate', <Quiet>no rate yet</Quiet>) : burn],
    [
      'limit',
      why('limit', 'limit', limitWords, 'max-w-full md:truncate'),
      limit === null ? null : `${formatExact(limit)}, ${limitSourceWords(session.limitSource)}`,
    ],
    ['client, host', pair(program), joined(program)],
    ['model', model ?? notStated, model],
    ['folder, branch', joined(place) === '' ? notStated : pair(place), joined(place)],
  ];
  // A long value wraps. A value with a title wraps only on narrow screens, because the title shows the whole value.
  return (
    <dl className="grid grid-cols-2 gap-x-[16px] gap-y-[10px] md:grid-cols-4 min-[87.5rem]:grid-cols-[repeat(4,minmax(0,auto))]">
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

const joined = (parts: Words) => parts.filter(Boolean).join(', ');
type Words = readonly (string | null | undefined)[];

/** Two parts in a line. Without room for both, the first part is shortened first. */
function pair(parts: Words) {
  const [first, second] = parts.filter(Boolean);
  if (second === undefined) return first;
  return (
    <span className="md:flex">
      <span className="min-w-0 md:shrink-[20] md:truncate">{first}</span>
      <span className="whitespace-pre-wrap">, </span>
      <span className="min-w-0 md:truncate">{second}</span>
    </span>
  );
}

/** Tokens left until a line, or the number of turns since the line was passed. */
function leftWords(tokens: number | null, passed: number | null) {
  if (tokens === null) return <Quiet>unknown</Quiet>;
  if (tokens > 0) return <span className="num">{formatExact(tokens)}</span>;
  if (passed === null) return 'passed';
  if (passed === 0) return 'passed with the last turn';
  return <FiguresText text={`passed ${formatCount(passed, 'turn')} ago`} />;
}
