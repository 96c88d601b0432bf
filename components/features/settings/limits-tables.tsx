'use client';
import type { LimitList } from '@/core/api/settings';
import { formatCount, formatExact } from '../../format/format-tokens';
import { limitSourceWords } from '../../format/session-words';
import { Ago } from '../../ui/ago';
import { DataTable } from '../../ui/data-table';

/** The limits of the models in use, and the server's own model table. */
export function LimitsTables({ limits }: { limits: LimitList }) {
  return (
    <div className="flex flex-col gap-[24px]">
      {limits.seen.length === 0 ? null : (
        <DataTable
          label="Limits in use"
          rows={limits.seen}
          keyOf={({ model, tokens, source }) => `${model} ${tokens} ${source}`}
          columns={[
            { head: 'model in use', cell: ({ model }) => <span className="font-medium">{model}</span> },
            { head: 'limit, tokens', label: 'limit', right: true, cell: ({ tokens }) => exact(tokens) },
            { head: 'source', label: 'source', cell: ({ source }) => limitSourceWords(source) },
            {
              head: 'sessions',
              label: 'sessions',
              right: true,
              cell: ({ sessions }) => <span className="num">{formatCount(sessions, 'session')}</span>,
            },
            {
              head: 'last turn',
              label: 'last turn',
              right: true,
              cell: ({ lastTurnAt }) => (lastTurnAt === null ? '–' : <Ago at={lastTurnAt} />),
            },
          ]}
        />
      )}
      <DataTable
        label="Model table"
        rows={limits.table}
        keyOf={({ models }) => models}
        columns={[
          { head: 'models in the table', cell: ({ models }) => <span className="font-mono">{models}</span> },
          { head: 'limit, tokens', label: 'limit', right: true, cell: ({ tokens }) => exact(tokens) },
          {
            head: 'larger, when proven',
            label: 'larger',
            right: true,
            cell: ({ larger }) => (larger === null ? '–' : exact(larger)),
          },
          {
            head: 'source',
            label: 'source',
            cell: ({ source }) => <span className="text-ink2">{source}</span>,
          },
          {
            head: 'read on',
            label: 'read on',
            right: true,
            cell: ({ date }) => <span className="num">{date}</span>,
          },
        ]}
      />
    </div>
  );
}

function exact(tokens: number) {
  return <span className="num">{formatExact(tokens)}</span>;
}
