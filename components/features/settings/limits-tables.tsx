'use client';
import type { LimitList } from '@/core/api/settings';
import { formatCount, formatExact } from '../../format/format-tokens';
import { limitSourceWords } from '../../format/session-words';
import { Ago } from '../../ui/ago';
import { DataTable } from '../../ui/data-table';

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
            { head: 'limit, tokens', label: 'limit', num: true, cell: ({ tokens }) => formatExact(tokens) },
            { head: 'source', cell: ({ source }) => limitSourceWords(source) },
            { head: 'sessions', num: true, cell: ({ sessions }) => formatCount(sessions, 'session') },
            {
              head: 'last turn',
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
          { head: 'limit, tokens', label: 'limit', num: true, cell: ({ tokens }) => formatExact(tokens) },
          {
            head: 'larger, when proven',
            label: 'larger',
            num: true,
            cell: ({ larger }) => (larger === null ? '–' : formatExact(larger)),
          },
          { head: 'source', cell: ({ source }) => <span className="text-ink2">{source}</span> },
          { head: 'read on', num: true, cell: ({ date }) => date },
        ]}
      />
    </div>
  );
}
