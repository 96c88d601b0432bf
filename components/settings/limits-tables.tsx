'use client';
import type { LimitList } from '@/core/api/settings';
import { formatCount, formatExact } from '../format/format-tokens';
import { limitSourceWords } from '../session/session-words';
import { Ago } from '../ui/ago';
import './settings.css';

/** What sessions are measured against, and what the server knows of models by itself. */
export function LimitsTables({ limits }: { limits: LimitList }) {
  return (
    <div className="flex flex-col gap-[24px]">
      {limits.seen.length === 0 ? null : (
        <table className="settings-table" aria-label="Limits in use">
          <thead>
            <tr>
              <th scope="col">model in use</th>
              <th scope="col" className="right">
                limit, tokens
              </th>
              <th scope="col">where it comes from</th>
              <th scope="col" className="right">
                sessions
              </th>
              <th scope="col" className="right">
                last turn
              </th>
            </tr>
          </thead>
          <tbody>
            {limits.seen.map(({ model, tokens, source, sessions, lastTurnAt }) => (
              <tr key={`${model} ${tokens} ${source}`}>
                <td className="font-medium">{model}</td>
                <td className="right num" data-label="limit">
                  {formatExact(tokens)}
                </td>
                <td data-label="from">{limitSourceWords(source)}</td>
                <td className="right" data-label="sessions">
                  <span className="num">{formatCount(sessions, 'session')}</span>
                </td>
                <td className="right" data-label="last turn">
                  {lastTurnAt === null ? '–' : <Ago at={lastTurnAt} />}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <table className="settings-table" aria-label="Model table">
        <thead>
          <tr>
            <th scope="col">models in the table</th>
            <th scope="col" className="right">
              limit, tokens
            </th>
            <th scope="col" className="right">
              larger, when proven
            </th>
            <th scope="col">source</th>
            <th scope="col" className="right">
              read on
            </th>
          </tr>
        </thead>
        <tbody>
          {limits.table.map(({ models, tokens, larger, source, date }) => (
            <tr key={models}>
              <td className="font-mono">{models}</td>
              <td className="right num" data-label="limit">
                {formatExact(tokens)}
              </td>
              <td className="right num" data-label="larger">
                {larger === null ? '–' : formatExact(larger)}
              </td>
              <td className="text-ink2" data-label="source">
                {source}
              </td>
              <td className="right num" data-label="read on">
                {date}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
