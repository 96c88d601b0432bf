import { cacheShareOf } from '@/core/accounting/cache-share';
import { tokensUntilEnd } from '@/core/accounting/tokens-until-end';
import type { Session } from '@/core/api/session';
import { SessionWhy } from '../explain/session-why';
import { clientName } from '../format/boundary-words';
import { formatPercent } from '../format/format-percent';
import { formatExact, formatTokens } from '../format/format-tokens';
import { CopyButton } from '../ui/copy-button';
import { limitSourceWords, resumeCommand, shortFolder } from './session-words';

interface SessionFactsProps {
  session: Session;
  /** The most that was in use in the open context, tokens; null: not known. */
  peak: number | null;
}

/** The facts, label over value: what is left to each line, and what the session runs on. */
export function SessionFacts({ session, peak }: SessionFactsProps) {
  const { limit, compactsAt, restartLine, tokensUntilWarning } = session;
  const client =
    session.client === null
      ? ''
      : [clientName(session.client), session.clientVersion].filter(Boolean).join(' ');
  const warning = warningLine(session);
  const { all } = session.totals;
  const cacheShare = cacheShareOf(all);
  const command = resumeCommand(session);
  return (
    <dl className="grid grid-cols-2 gap-x-[20px] gap-y-[10px] sm:grid-cols-4 lg:grid-cols-5 min-[87.5rem]:max-w-[1240px] min-[87.5rem]:grid-cols-[auto_auto_auto_auto] min-[87.5rem]:justify-between min-[112.5rem]:grid-cols-[auto_auto_auto_auto_auto]">
      <Fact name={compactsAt === null ? 'until the limit' : 'until it compacts'}>
        <SessionWhy session={session} figure="until-end" name="tokens left">
          <Tokens count={tokensUntilEnd(session)} />
        </SessionWhy>
      </Fact>
      <Fact name={warning === null ? 'until warning' : `until warning, ${formatPercent(warning)}`}>
        <SessionWhy session={session} figure="until-warning" name="tokens left">
          <Tokens count={tokensUntilWarning} />
        </SessionWhy>
      </Fact>
      <Fact
        name={
          restartLine === null || restartLine > 1
            ? 'until restart line'
            : `until restart line, ${Math.round(restartLine * 100)} %`
        }
      >
        <SessionWhy session={session} figure="until-restart" name="tokens left">
          {restartLine === null || restartLine > 1 ? (
            <Quiet>never restarts</Quiet>
          ) : (
            <Tokens count={session.tokensUntilRestart} />
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
      <Fact name="model">{session.model ?? <Quiet>not stated</Quiet>}</Fact>
      <Fact name="limit">
        {limit === null ? (
          <SessionWhy session={session} figure="limit" name="limit">
            <Quiet>none known</Quiet>
          </SessionWhy>
        ) : (
          <SessionWhy session={session} figure="limit" name="limit">
            <span className="num">{formatExact(limit)}</span>{' '}
            <span className="text-ink2" title={session.limitDate ?? undefined}>
              {limitSourceWords(session.limitSource)}
              {session.limitDate === null ? null : (
                <span className="max-[1799px]:sr-only">, {session.limitDate}</span>
              )}
            </span>
          </SessionWhy>
        )}
      </Fact>
      <Fact name="client, host">{[client || 'not stated', session.host].filter(Boolean).join(', ')}</Fact>
      <Fact name="folder, branch">
        {session.folder === null && session.branch === null ? (
          <Quiet>not stated</Quiet>
        ) : (
          <span title={[session.folder, session.branch].filter(Boolean).join(', ')}>
            {session.folder === null ? null : shortFolder(session.folder)}
            {session.branch === null ? null : (
              <>
                {' '}
                <BranchSign /> {session.branch}
              </>
            )}
          </span>
        )}
      </Fact>
      <Fact name="spent, from the cache">
        <SessionWhy session={session} figure="spent" name="tokens spent">
          <span className="num">{formatTokens(all.input + all.output)}</span>
        </SessionWhy>
        {cacheShare === null ? null : (
          <>
            ,{' '}
            <SessionWhy
              session={session}
              figure="cache-share"
              name="from the cache"
              className="num text-ink2"
            >
              {formatPercent(cacheShare)}
            </SessionWhy>
          </>
        )}
      </Fact>
      {command === null ? null : (
        <div className="col-span-2 lg:hidden">
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

/** The share that warning begins at, as the tokens until it tell; null: it is reached, or not known. */
function warningLine({ tokensUntilWarning, used, limit }: Session): number | null {
  if (!tokensUntilWarning || used === null || limit === null || limit <= 0) return null;
  return Math.ceil(((used + tokensUntilWarning) / limit) * 10_000) / 10_000;
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-small text-ink2">{name}</dt>
      <dd className="line-clamp-2 [overflow-wrap:anywhere]">{children}</dd>
    </div>
  );
}

function Quiet({ children }: { children: React.ReactNode }) {
  return <span className="text-ink2">{children}</span>;
}

function Tokens({ count }: { count: number | null }) {
  return count === null ? <Quiet>not known</Quiet> : <span className="num">{formatExact(count)}</span>;
}

function rate(tokens: number, per: string): string {
  return `${formatTokens(tokens, { fine: true })}/${per}`;
}

function BranchSign() {
  return (
    <svg
      width="10"
      height="11"
      viewBox="0 0 10 11"
      fill="none"
      stroke="currentColor"
      className="inline-block align-[-1px] text-ink2"
    >
      <title>branch</title>
      <path d="M2.5 1v9M2.5 7.5c4 0 5-1.5 5-4.5" />
      <circle cx="7.5" cy="2.2" r="1.2" />
    </svg>
  );
}
