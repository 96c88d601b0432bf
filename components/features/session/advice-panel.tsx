'use client';
import { useState } from 'react';
import type { ChainComposition } from '@/core/api/composition';
import type { Session } from '@/core/api/session';
import type { SessionEvent } from '@/core/events/event';
import { CompactionBar } from '../../charts/compaction-bar';
import { formatPercent } from '../../format/format-percent';
import { formatCount, formatExact } from '../../format/format-tokens';
import { Ago } from '../../ui/ago';
import { FiguresText } from '../../ui/figures-text';
import { Select, useSessionPage } from './session-page';

export default function AdvicePanel() {
  const { session, data } = useSessionPage();
  const { compositions, events } = data;
  const [chosen, choose] = useState('main');
  const composition = compositions.find(({ chain }) => chain === chosen) ?? compositions[0];
  if (composition === undefined) return null;
  const { chain, context, turn, at, roles } = composition;
  const since = sentenceSince(composition, session, events);
  const isMain = chain === 'main';
  const props = {
    composition,
    limit: isMain ? session.limit : null,
    tokens: roles.reduce((sum, role) => sum + role.tokens, 0),
  };
  return (
    <section aria-labelledby="advice" className="mt-[32px] border-t border-ink pt-[10px]">
      <div className="flex flex-wrap items-baseline gap-x-[14px] gap-y-[4px] pb-[14px]">
        <h2 id="advice" className="text-title">
          Advice
        </h2>
        <p className="text-ink2">
          {isMain ? '' : `sub-agent ${chain}, `}
          <FiguresText text={`context ${context} after turn ${formatExact(turn)}`} />, <Ago at={at} /> ago, by
          the runner’s own count
        </p>
        {compositions.length < 2 ? null : (
          <Select name="chain" value={chain} options={compositions.map((one) => one.chain)} choose={choose} />
        )}
      </div>
      <div className="grid gap-x-[32px] gap-y-[24px] lg:grid-cols-[minmax(0,404px)_minmax(0,1fr)] xl:grid-cols-[404px_minmax(0,1fr)_360px]">
        <Roles {...props} />
        {since === null ? (
          <>
            <Suggestions {...props} />
            <Compression {...props} sessionId={session.id} />
          </>
        ) : (
          <p className="max-w-[64ch] text-ink2">{since} Advice follows with the next turn.</p>
        )}
      </div>
    </section>
  );
}

interface PartProps {
  composition: ChainComposition;
  limit: number | null;
  /** Sum of all roles. */
  tokens: number;
}

const ROLE_HEADS = ['role', 'messages', 'tokens', 'share'];

function Roles({ composition: { roles }, tokens }: PartProps) {
  const messages = roles.reduce((sum, role) => sum + role.messages, 0);
  const share = (own: number) => (tokens === 0 ? '0\u00a0%' : formatPercent(own / tokens));
  const rows = [
    ...roles.map(({ role, ...own }) => [
      role,
      formatExact(own.messages),
      formatExact(own.tokens),
      share(own.tokens),
    ]),
    ['total', formatExact(messages), formatExact(tokens), ''],
  ];
  return (
    <table className="w-full self-start">
      <caption className="sr-only">Tokens by role</caption>
      <thead>
        <tr className="border-b border-hair2 text-small text-ink2">
          {ROLE_HEADS.map((name) => (
            <th
              key={name}
              scope="col"
              className={`py-[4px] font-normal ${name === 'role' ? 'text-left' : 'w-[78px] text-right'}`}
            >
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([role, ...figures], index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a runner may name a role twice
          <tr key={index} className="border-b border-hair last:border-0 last:text-ink2">
            <th scope="row" className="max-w-0 truncate py-[4px] text-left font-normal" title={role}>
              {role}
            </th>
            {ROLE_HEADS.slice(1).map((name, column) => (
              <td key={name} className="num py-[4px] text-right">
                {figures[column]}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Suggestions({ composition: { suggestions }, tokens }: PartProps) {
  const words = (suggestion: Suggestion) => {
    const { tokensSaved } = suggestion;
    const share = tokens === 0 ? '' : `, ${formatPercent(tokensSaved / tokens)} of the context`;
    return `${suggestionWords(suggestion)}: saves ${formatCount(tokensSaved, 'token')}${share}.`;
  };
  return (
    <div className="min-w-0">
      <h3 className="pb-[6px] text-small font-normal text-ink2">suggestions</h3>
      {suggestions.length === 0 ? (
        <p className="max-w-[48ch] text-ink2">
          No suggestions: no role exceeds its share, and little of the context is old.
        </p>
      ) : null}
      <ul>
        {suggestions.map((suggestion, index) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: a runner may suggest the same twice
            key={index}
            className="flex flex-wrap items-baseline gap-x-[16px] gap-y-[2px] border-b border-hair py-[7px] first:border-t first:border-hair2"
          >
            <span className="min-w-0 flex-1 basis-[220px]">
              <FiguresText text={words(suggestion)} />
            </span>
            <span className="whitespace-nowrap">{suggestion.impact} impact</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** The effect of a compression, drawn like a compaction on the chart: kept tokens in ink, freed ones hatched. */
function Compression({ composition, sessionId, limit }: PartProps & { sessionId: string }) {
  if (composition.compression === null) return null;
  const { targetPercent, messagesRemoved, tokensRemoved, tokensLeft } = composition.compression;
  const left = formatExact(tokensLeft);
  const removed = `${formatCount(messagesRemoved, 'message')} of ${formatExact(tokensRemoved)} tokens`;
  return (
    <div className="min-w-0">
      <h3 className="pb-[6px] text-small font-normal text-ink2">
        compression to <span className="num">{`${targetPercent}\u00a0%`}</span>
      </h3>
      {messagesRemoved === 0 ? null : (
        <CompactionBar
          seed={`${sessionId} ${composition.chain}`}
          before={tokensLeft + tokensRemoved}
          after={tokensLeft}
          limit={limit}
          afterWord="left"
        />
      )}
      <p className={messagesRemoved === 0 ? '' : 'mt-[8px]'}>
        <FiguresText
          text={
            messagesRemoved === 0
              ? `Would remove nothing: ${left} tokens remain.`
              : `Would remove ${removed}, the oldest first, and leave ${left}.`
          }
        />
      </p>
    </div>
  );
}

type Suggestion = ChainComposition['suggestions'][number];

/** Why the figures are outdated; null: they are current. A sub-agent's context counts as open. */
function sentenceSince(
  { chain, context, turn }: ChainComposition,
  { contextCount }: Pick<Session, 'contextCount'>,
  events: readonly SessionEvent[],
): string | null {
  if (chain === 'main' && context < contextCount - 1) {
    return 'This context has ended. Showing its last figures.';
  }
  const isCompressed = events.some(
    (event) =>
      event.kind === 'context_compressed' &&
      event.chain === chain &&
      event.context === context &&
      event.turn >= turn,
  );
  return isCompressed ? 'Messages were removed since. Showing the earlier figures.' : null;
}

function suggestionWords({ kind, messages }: Suggestion): string {
  if (kind === 'summarize_assistant_messages')
    return `Summarise ${formatCount(messages, 'assistant message')}`;
  return messages === 1
    ? 'Remove the oldest user message'
    : `Remove the ${formatExact(messages)} oldest user messages`;
}
