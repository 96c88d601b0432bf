import type { Session } from '@/core/api/session';
import { clientName } from '../format/boundary-words';
import { formatExact, formatTokens } from '../format/format-tokens';
import { limitSourceWords, shortFolder } from './session-words';

/** Eight facts, label over value: what is left to each line, and what the session runs on. */
export function SessionFacts({ session }: { session: Session }) {
  const { used, limit, compactsAt, restartLine } = session;
  const until = compactsAt ?? limit;
  const left = used === null || until === null ? null : Math.max(0, until - used);
  const client =
    session.client === null
      ? ''
      : [clientName(session.client), session.clientVersion].filter(Boolean).join(' ');
  return (
    <dl className="grid grid-cols-2 gap-x-[24px] gap-y-[10px] sm:grid-cols-4 md:grid-cols-2 lg:max-w-[1080px] lg:grid-cols-[auto_auto_auto_auto] lg:justify-between">
      <Fact name={compactsAt === null ? 'until the limit' : 'until it compacts'}>
        <Tokens count={left} />
      </Fact>
      <Fact name="until warning, 75 %">
        <Tokens count={session.tokensUntilWarning} />
      </Fact>
      <Fact
        name={
          restartLine === null || restartLine > 1
            ? 'until restart line'
            : `until restart line, ${Math.round(restartLine * 100)} %`
        }
      >
        {restartLine === null || restartLine > 1 ? (
          <Quiet>never restarts</Quiet>
        ) : (
          <Tokens count={session.tokensUntilRestart} />
        )}
      </Fact>
      <Fact name="burn">
        {session.tokensPerMinute === null && session.tokensPerTurn === null ? (
          <Quiet>too early to say</Quiet>
        ) : (
          <span className="num">
            {[rate(session.tokensPerMinute, 'min'), rate(session.tokensPerTurn, 'turn')]
              .filter(Boolean)
              .join(', ')}
          </span>
        )}
      </Fact>
      <Fact name="model">{session.model ?? <Quiet>not stated</Quiet>}</Fact>
      <Fact name="limit">
        {limit === null ? (
          <Quiet>none known</Quiet>
        ) : (
          <>
            <span className="num">{formatExact(limit)}</span>{' '}
            <span className="text-ink2">{limitSourceWords(session.limitSource)}</span>
          </>
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
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-small text-ink2">{name}</dt>
      <dd className="truncate">{children}</dd>
    </div>
  );
}

function Quiet({ children }: { children: React.ReactNode }) {
  return <span className="text-ink2">{children}</span>;
}

function Tokens({ count }: { count: number | null }) {
  return count === null ? <Quiet>not known</Quiet> : <span className="num">{formatExact(count)}</span>;
}

function rate(tokens: number | null, per: string): string {
  return tokens === null ? '' : `${formatTokens(tokens, { fine: true })}/${per}`;
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
