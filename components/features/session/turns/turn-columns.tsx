/** Columns of the table of turns. */
import { usedOfTurn } from '@/core/accounting/lens';
import type { Session, TurnRow } from '@/core/api/session';
import { formatPercent } from '../../../format/format-percent';
import { formatClockSeconds, formatDay, formatInstant } from '../../../format/format-time';
import { formatExact } from '../../../format/format-tokens';
import { shortModel } from '../../../sessions/session-names';

interface TurnColumn {
  header: string;
  width: string;
  isText?: true;
  draw: (turn: TurnRow, options: { lens: Session['lens']; zone: string }) => React.ReactNode;
}

const usage = (header: string, name: keyof NonNullable<TurnRow['usage']>, width = '92px'): TurnColumn => ({
  header,
  width,
  draw: (turn) => <Count value={turn.usage?.[name]} />,
});

export const TURN_COLUMNS: readonly TurnColumn[] = [
  {
    header: 'time',
    width: '132px',
    isText: true,
    draw: ({ at }, { zone }) => (
      <span className="num" title={formatInstant(at, zone)}>
        <span className="text-ink2">{formatDay(at, zone)}</span> {formatClockSeconds(at, zone)}
      </span>
    ),
  },
  {
    header: 'context',
    width: '62px',
    draw: ({ context }) => <span className="num">{formatExact(context)}</span>,
  },
  {
    header: 'model',
    width: 'minmax(96px, 1fr)',
    isText: true,
    draw: ({ model }) => (
      <span className="block truncate" title={model ?? undefined}>
        {model === null ? '–' : shortModel(model)}
      </span>
    ),
  },
  usage('input', 'input', '84px'),
  usage('output', 'output', '76px'),
  usage('cache reads', 'cacheRead'),
  usage('cache writes', 'cacheCreation'),
  { header: 'used', width: '92px', draw: (turn, { lens }) => <Count value={usedAfter(turn, lens)} /> },
  {
    header: 'pressure',
    width: '72px',
    draw: (turn, { lens }) => {
      const used = usedAfter(turn, lens);
      if (used === null || turn.limit === null || turn.limit <= 0) return <Count value={null} />;
      return <span className="num">{formatPercent(used / turn.limit)}</span>;
    },
  },
  {
    header: 'remarks',
    width: 'minmax(120px, 1.4fr)',
    isText: true,
    draw: (turn) => (
      <span className="block truncate text-small text-ink2" title={turnRemarks(turn)}>
        {turnRemarks(turn)}
      </span>
    ),
  },
];

function Count({ value }: { value: number | null | undefined }) {
  if (value === null || value === undefined) return <span className="text-ink2">–</span>;
  return <span className={value === 0 ? 'num text-ink2' : 'num'}>{formatExact(value)}</span>;
}

const FLAG_WORDS: Readonly<Record<string, string>> = {
  untracked: 'not tracked',
  noUsage: 'no usage',
  negative: 'negative count',
  clock: 'wrong clock',
  readingIgnored: 'reading ignored',
  readingOnly: 'reading only',
};

/** What is unusual about a turn; empty for most. */
function turnRemarks(turn: TurnRow): string {
  const words = turn.flags.map((flag) =>
    flag === 'readingIgnored' && turn.contextTokens !== null
      ? `reading ${formatExact(turn.contextTokens)} ignored`
      : (FLAG_WORDS[flag] ?? flag),
  );
  if (turn.scope === 'side') words.unshift('side call');
  if (turn.limitSource === 'assumed') words.push('limit assumed');
  return words.join(', ');
}

/** Tokens of the context after the turn, in the session's lens; null: unknown. */
function usedAfter(turn: TurnRow, lens: Session['lens']): number | null {
  return usedOfTurn(
    {
      input: turn.usage?.input ?? 0,
      output: turn.usage?.output ?? 0,
      cacheRead: turn.usage?.cacheRead ?? 0,
      cumulativeInput: turn.cumulative.input,
      cumulativeOutput: turn.cumulative.output,
      reading: turn.flags.includes('readingIgnored') ? null : turn.contextTokens,
      untracked: turn.flags.includes('untracked'),
    },
    lens,
  );
}
