import { cacheShareOf } from '@/core/accounting/counts';
import { tokensUntilEnd } from '@/core/accounting/next-boundary';
import { DEFAULT_THRESHOLDS } from '@/core/accounting/thresholds';
import type { SeriesPoint } from '@/core/api/series';
import type { Session } from '@/core/api/session';
import type { SessionFigure } from '@/core/explain/explain-session';
import { SessionWhy } from '../../explain/session-why';
import { clientName } from '../../format/boundary-words';
import { formatPercent } from '../../format/format-percent';
import { formatCount, formatExact, formatTokens } from '../../format/format-tokens';
import { limitSourceWords } from '../../format/limit-words';
import { FiguresText } from '../../ui/figures-text';
import { ResumeCommand } from './session-head';
import { shortFolder } from './session-words';

interface SessionFactsProps {
  session: Session;
  /** Of the main chain, the whole session. */
  points: readonly SeriesPoint[];
  /** The most that was in use in the open context, tokens; null: not known. */
  peak: number | null;
}

/** Twelve facts, so that no row of two, four or six is left open: what is left to each line, then what it runs on. */
export function SessionFacts({ session, points, peak }: SessionFactsProps) {
  const { limit, compactsAt, restartLine, model, host, folder, branch } = session;
  const client = session.client === null ? 'not stated' : clientName(session.client);
  const program = [[client, session.clientVersion].filter(Boolean).join(' '), host]
    .filter(Boolean)
    .join(', ');
  const { warning } = session.bounds ?? DEFAULT_THRESHOLDS;
  const { all } = session.totals;
  const cacheShare = cacheShareOf(all);
  const why = (figure: SessionFigure, name: string, value: React.ReactNode, className = '') => (
    <SessionWhy session={session} figure={figure} name={name} className={className}>
      {value}
    </SessionWhy>
  );
  const passed = (line: number | null) => (line === null ? null : turnsSincePassed(points, Math.floor(line)));
  const passedShare = (share: number) => passed(limit === null ? null : share * limit);
  const isRestarted = restartLine !== null && restartLine <= 1;
  const rate = (tokens: number, per: string) => `${formatTokens(tokens, { fine: true })}/${per}`;
  const { tokensPerMinute, tokensPerTurn } = session;
  return (
    <dl className="grid grid-cols-2 gap-x-[20px] gap-y-[10px] md:grid-cols-4 min-[87.5rem]:grid-cols-[minmax(0,0.78fr)_minmax(0,1fr)_minmax(0,1.12fr)_minmax(0,0.94fr)] min-[125rem]:max-w-[1440px] min-[125rem]:grid-cols-[repeat(6,minmax(0,1fr))]">
      <Fact name={compactsAt === null ? 'until the limit' : 'until it compacts'}>
        {why('until-end', 'tokens left', leftWords(tokensUntilEnd(session), passed(compactsAt ?? limit)))}
      </Fact>
      <Fact name={`until warning, ${formatPercent(warning)}`}>
        {why('until-warning', 'tokens left', leftWords(session.tokensUntilWarning, passedShare(warning)))}
      </Fact>
      <Fact name={`until restart line${isRestarted ? `, ${formatPercent(restartLine)}` : ''}`}>
        {why(
          'until-restart',
          'tokens left',
          isRestarted ? (
            leftWords(
              session.tokensUntilRestart,
              session.restartLinePassed?.turnsSince ?? passedShare(restartLine),
            )
          ) : (
            <Quiet>never restarts</Quiet>
          ),
        )}
      </Fact>
      <Fact name="burn">
        {tokensPerMinute !== null && why('a-minute', 'burn rate', rate(tokensPerMinute, 'min'), 'num')}
        {tokensPerMinute !== null && tokensPerTurn !== null && ', '}
        {tokensPerTurn !== null && why('a-turn', 'burn rate', rate(tokensPerTurn, 'turn'), 'num')}
        {tokensPerMinute === null &&
          tokensPerTurn === null &&
          why('a-turn', 'burn rate', <Quiet>too early to say</Quiet>)}
      </Fact>
      <Fact name={session.liveness === 'ended' ? 'last context' : 'open context'}>
        {why('context', 'number of the context', formatExact(session.contextCount - 1), 'num')}
        {peak === null ? null : (
          <Quiet>
            , peak{' '}
            {why(
              'peak',
              'peak of the open context',
              limit === null || limit <= 0 ? formatTokens(peak) : formatPercent(peak / limit),
              'num',
            )}
          </Quiet>
        )}
      </Fact>
      <Fact name="limit">
        {why(
          'limit',
          'limit',
          limit === null ? (
            <Quiet>none known</Quiet>
          ) : (
            <>
              <span className="num">{formatExact(limit)}</span>{' '}
              <span className="text-ink2" title={session.limitDate ?? undefined}>
                {limitSourceWords(session.limitSource)}
                {session.limitDate === null ? null : <span className="sr-only">, {session.limitDate}</span>}
              </span>
            </>
          ),
        )}
      </Fact>
      <Fact name="model" title={model}>
        {model ?? <Quiet>not stated</Quiet>}
      </Fact>
      <Fact name="client, host" title={program}>
        {program}
      </Fact>
      <Fact name="input + output so far">
        {why('spent', 'tokens spent', formatTokens(all.input + all.output), 'num')}
      </Fact>
      <Fact name="from the cache">
        {cacheShare === null ? (
          <Quiet>not known</Quiet>
        ) : (
          <>
            {why('cache-share', 'from the cache', formatPercent(cacheShare), 'num')}{' '}
            <Quiet>of what was sent</Quiet>
          </>
        )}
      </Fact>
      <Fact name="folder" title={folder}>
        {folder === null ? <Quiet>not stated</Quiet> : shortFolder(folder)}
      </Fact>
      <Fact name="branch" title={branch}>
        {branch ?? <Quiet>not stated</Quiet>}
      </Fact>
      <ResumeCommand session={session} isFact />
    </dl>
  );
}

interface FactProps {
  name: string;
  /** The whole of it, where a row cuts it off. */
  title?: string | null;
  children: React.ReactNode;
}

/** Long values are truncated; on a narrow screen they wrap. */
function Fact({ name, title, children }: FactProps) {
  return (
    <div className="min-w-0">
      <dt className="truncate text-small text-ink2">
        <FiguresText text={name} />
      </dt>
      <dd className="md:truncate max-md:[overflow-wrap:anywhere]" title={title || undefined}>
        {children}
      </dd>
    </div>
  );
}

function Quiet({ children }: { children: React.ReactNode }) {
  return <span className="text-ink2">{children}</span>;
}

/** Tokens left to a line; past it, since when. */
function leftWords(tokens: number | null, passed: number | null) {
  if (tokens === null) return <Quiet>not known</Quiet>;
  if (tokens > 0) return <span className="num">{formatExact(tokens)}</span>;
  if (passed === null) return 'passed';
  return passed === 0 ? (
    'passed with the last turn'
  ) : (
    <FiguresText text={`passed ${formatCount(passed, 'turn')} ago`} />
  );
}

/**
 * Turns since the open context passed a line; 0: with the last turn. null: it is below the line, or the turn is lost in
 * thinned points.
 * @param points the session's own lens, oldest first
 * @param line tokens
 */
export function turnsSincePassed(points: readonly SeriesPoint[], line: number): number | null {
  const last = points.at(-1);
  const isPast = ({ used, context }: SeriesPoint) =>
    used !== null && used >= line && context === last?.context;
  if (last === undefined || !isPast(last)) return null;
  const reached = points[points.findLastIndex((point) => !isPast(point)) + 1] ?? last;
  return reached.turns === 1 ? last.n - reached.n : null;
}
