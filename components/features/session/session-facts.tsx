import { cacheShareOf } from '@/core/accounting/counts';
import { tokensUntilEnd } from '@/core/accounting/next-boundary';
import { DEFAULT_THRESHOLDS } from '@/core/accounting/thresholds';
import type { SeriesPoint } from '@/core/api/series';
import type { Session } from '@/core/api/session';
import { SessionWhy } from '../../explain/session-why';
import { clientName } from '../../format/boundary-words';
import { formatPercent } from '../../format/format-percent';
import { formatCount, formatExact, formatTokens } from '../../format/format-tokens';
import { limitSourceWords } from '../../format/limit-words';
import { CopyButton } from '../../ui/copy-button';
import { FiguresText } from '../../ui/figures-text';
import { turnsSincePassed } from './passed-line';
import { resumeCommand, shortFolder } from './session-words';

interface SessionFactsProps {
  session: Session;
  /** Of the main chain, the whole session. */
  points: readonly SeriesPoint[];
  /** The most that was in use in the open context, tokens; null: not known. */
  peak: number | null;
}

/** Twelve facts, so that no row of two, four or six is left open: what is left to each line, then what it runs on. */
export function SessionFacts({ session, points, peak }: SessionFactsProps) {
  const { limit, compactsAt, restartLine } = session;
  const client =
    session.client === null
      ? ''
      : [clientName(session.client), session.clientVersion].filter(Boolean).join(' ');
  const { warning } = session.bounds ?? DEFAULT_THRESHOLDS;
  const { all } = session.totals;
  const cacheShare = cacheShareOf(all);
  const command = resumeCommand(session);
  const end = compactsAt ?? limit;
  const passed = (line: number | null) => (line === null ? null : turnsSincePassed(points, Math.floor(line)));
  const neverRestarts = restartLine === null || restartLine > 1;
  return (
    <dl className="grid grid-cols-2 gap-x-[20px] gap-y-[10px] md:grid-cols-4 min-[87.5rem]:grid-cols-[minmax(0,0.78fr)_minmax(0,1fr)_minmax(0,1.12fr)_minmax(0,0.94fr)] min-[125rem]:max-w-[1440px] min-[125rem]:grid-cols-[repeat(6,minmax(0,1fr))]">
      <Fact name={compactsAt === null ? 'until the limit' : 'until it compacts'}>
        <SessionWhy session={session} figure="until-end" name="tokens left">
          <Left tokens={tokensUntilEnd(session)} passed={passed(end)} />
        </SessionWhy>
      </Fact>
      <Fact name={<Line name="until warning" at={warning} />}>
        <SessionWhy session={session} figure="until-warning" name="tokens left">
          <Left
            tokens={session.tokensUntilWarning}
            passed={passed(limit === null ? null : warning * limit)}
          />
        </SessionWhy>
      </Fact>
      <Fact name={neverRestarts ? 'until restart line' : <Line name="until restart line" at={restartLine} />}>
        <SessionWhy session={session} figure="until-restart" name="tokens left">
          {neverRestarts ? (
            <Quiet>never restarts</Quiet>
          ) : (
            <Left
              tokens={session.tokensUntilRestart}
              passed={
                session.restartLinePassed?.turnsSince ?? passed(limit === null ? null : restartLine * limit)
              }
            />
          )}
        </SessionWhy>
      </Fact>
      <Fact name="burn">
        <Burn session={session} />
      </Fact>
      <Fact name={session.liveness === 'ended' ? 'last context' : 'open context'}>
        <SessionWhy session={session} figure="context" name="number of the context">
          <span className="num">{formatExact(session.contextCount - 1)}</span>
        </SessionWhy>
        {peak === null ? null : (
          <span className="text-ink2">
            , peak{' '}
            <SessionWhy session={session} figure="peak" name="peak of the open context" className="num">
              {limit === null || limit <= 0 ? formatTokens(peak) : formatPercent(peak / limit)}
            </SessionWhy>
          </span>
        )}
      </Fact>
      <Fact name="limit">
        <SessionWhy session={session} figure="limit" name="limit">
          {limit === null ? (
            <Quiet>none known</Quiet>
          ) : (
            <>
              <span className="num">{formatExact(limit)}</span>{' '}
              <span className="text-ink2" title={session.limitDate ?? undefined}>
                {limitSourceWords(session.limitSource)}
                {session.limitDate === null ? null : <span className="sr-only">, {session.limitDate}</span>}
              </span>
            </>
          )}
        </SessionWhy>
      </Fact>
      <Fact name="model" title={session.model}>
        {session.model ?? <Quiet>not stated</Quiet>}
      </Fact>
      <Fact name="client, host" title={[client, session.host].filter(Boolean).join(', ')}>
        {[client || 'not stated', session.host].filter(Boolean).join(', ')}
      </Fact>
      <Fact name="input + output so far">
        <SessionWhy session={session} figure="spent" name="tokens spent">
          <span className="num">{formatTokens(all.input + all.output)}</span>
        </SessionWhy>
      </Fact>
      <Fact name="from the cache">
        {cacheShare === null ? (
          <Quiet>not known</Quiet>
        ) : (
          <>
            <SessionWhy session={session} figure="cache-share" name="from the cache" className="num">
              {formatPercent(cacheShare)}
            </SessionWhy>{' '}
            <span className="text-ink2">of what was sent</span>
          </>
        )}
      </Fact>
      <Fact name="folder" title={session.folder}>
        {session.folder === null ? <Quiet>not stated</Quiet> : shortFolder(session.folder)}
      </Fact>
      <Fact name="branch" title={session.branch}>
        {session.branch ?? <Quiet>not stated</Quiet>}
      </Fact>
      {command === null ? null : (
        <div className="col-span-2 md:col-span-4 lg:hidden">
          <dt className="text-small text-ink2">go on with it</dt>
          <dd className="flex items-center gap-[8px]">
            <code className="num min-w-0 truncate" title={command}>
              {command}
            </code>
            <CopyButton text={command} what="the command that resumes this session" />
          </dd>
        </div>
      )}
    </dl>
  );
}

function Burn({ session }: { session: Session }) {
  const { tokensPerMinute, tokensPerTurn } = session;
  if (tokensPerMinute === null && tokensPerTurn === null) {
    return (
      <SessionWhy session={session} figure="a-turn" name="burn rate">
        <Quiet>too early to say</Quiet>
      </SessionWhy>
    );
  }
  return (
    <>
      {tokensPerMinute === null ? null : (
        <SessionWhy session={session} figure="a-minute" name="burn rate" className="num">
          {rate(tokensPerMinute, 'min')}
        </SessionWhy>
      )}
      {tokensPerMinute === null || tokensPerTurn === null ? null : ', '}
      {tokensPerTurn === null ? null : (
        <SessionWhy session={session} figure="a-turn" name="burn rate" className="num">
          {rate(tokensPerTurn, 'turn')}
        </SessionWhy>
      )}
    </>
  );
}

interface FactProps {
  name: React.ReactNode;
  /** The whole of it, where a row cuts it off. */
  title?: string | null;
  children: React.ReactNode;
}

/** Long values are truncated; on a narrow screen they wrap. */
function Fact({ name, title, children }: FactProps) {
  return (
    <div className="min-w-0">
      <dt className="truncate text-small text-ink2">{name}</dt>
      <dd className="md:truncate max-md:[overflow-wrap:anywhere]" title={title || undefined}>
        {children}
      </dd>
    </div>
  );
}

/** A line by its share of the limit. */
function Line({ name, at }: { name: string; at: number }) {
  return (
    <>
      {name}, <span className="num">{formatPercent(at)}</span>
    </>
  );
}

function Quiet({ children }: { children: React.ReactNode }) {
  return <span className="text-ink2">{children}</span>;
}

/** Tokens left to a line; past it, since when. */
function Left({ tokens, passed }: { tokens: number | null; passed: number | null }) {
  if (tokens === null) return <Quiet>not known</Quiet>;
  if (tokens > 0) return <span className="num">{formatExact(tokens)}</span>;
  if (passed === null) return 'passed';
  return passed === 0 ? (
    'passed with the last turn'
  ) : (
    <FiguresText text={`passed ${formatCount(passed, 'turn')} ago`} />
  );
}

function rate(tokens: number, per: string): string {
  return `${formatTokens(tokens, { fine: true })}/${per}`;
}
