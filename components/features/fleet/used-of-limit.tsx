import type { Session } from '@/core/api/session';
import { formatExact, formatTokens } from '../../format/format-tokens';
import { limitSourceWords } from '../../format/limit-words';

type Props = Pick<
  Session,
  'used' | 'limit' | 'limitSource' | 'complete' | 'estimated' | 'state' | 'lastKnownUsed'
>;

/** `182 k / 200 k`: ≥ where sums are a lower bound, ≈ for an estimate, an assumed limit in outline. */
export function UsedOfLimit({ used, limit, limitSource, complete, estimated, state }: Props) {
  return (
    <>
      {used === null || state === 'untracked' ? (
        <span className="text-ink2">–</span>
      ) : (
        `${signOf({ complete, estimated })}${formatTokens(used)}`
      )}
      {limit === null ? null : (
        <span className="text-ink2">
          {' / '}
          {limitSource === 'assumed' ? (
            <span className="border-b border-dotted border-ink2">{formatTokens(limit)}</span>
          ) : (
            formatTokens(limit)
          )}
        </span>
      )}
    </>
  );
}

/** Both in full, and where the limit comes from. */
export function usedOfLimitTitle(props: Props): string {
  const { used, limit, limitSource, estimated, state, lastKnownUsed } = props;
  const now =
    used === null || state === 'untracked'
      ? `Tokens in use are unknown${lastKnownUsed === null ? '' : `, last known ${formatExact(lastKnownUsed)}`}`
      : `${signOf(props)}${formatExact(used)}${estimated ? ' (estimated)' : ''}`;
  const of =
    limit === null ? 'no limit known' : `limit ${formatExact(limit)}, ${limitSourceWords(limitSource)}`;
  return `${now}; ${of}`;
}

function signOf({ complete, estimated }: Pick<Session, 'complete' | 'estimated'>): string {
  return complete ? (estimated ? '≈' : '') : '≥';
}
