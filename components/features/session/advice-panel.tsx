'use client';
import { useState } from 'react';
import type { ChainComposition } from '@/core/api/composition';
import { CompactionBar } from '../../charts/compaction-bar';
import { formatPercent } from '../../format/format-percent';
import { formatCount, formatExact } from '../../format/format-tokens';
import { Ago } from '../../ui/ago';
import { FiguresText } from '../../ui/figures-text';
import { sentenceSince, suggestionWords } from './advice';
import { Select } from './select';
import { useSessionPage } from './session-page';

/** What the context is made of, what could be taken out, and what a compression would remove. */
export default function AdvicePanel() {
  const { session, data } = useSessionPage();
  const { compositions, events } = data;
  const [chosen, choose] = useState('main');
  const composition = compositions.find(({ chain }) => chain === chosen) ?? compositions[0];
  if (composition === undefined) return null;
  const since = sentenceSince(composition, session, events);
  const isMain = composition.chain === 'main';
  const limit = isMain ? session.limit : null;
  return (
    <section aria-labelledby="advice" className="mt-[32px] border-t border-ink pt-[10px]">
      <div className="flex flex-wrap items-baseline gap-x-[14px] gap-y-[4px] pb-[14px]">
        <h2 id="advice" className="text-title">
          Advice
        </h2>
        <p className="text-ink2">
          {isMain ? '' : `sub-agent ${composition.chain}, `}
          <FiguresText text={`context ${composition.context} after turn ${formatExact(composition.turn)}`} />,{' '}
          <Ago at={composition.at} /> ago, by the runner’s own count
        </p>
        {compositions.length < 2 ? null : (
          <Select
            name="chain"
            value={composition.chain}
            options={compositions.map(({ chain }) => chain)}
            choose={choose}
          />
        )}
      </div>
      <div className="grid gap-x-[32px] gap-y-[24px] lg:grid-cols-[minmax(0,404px)_minmax(0,1fr)] xl:grid-cols-[404px_minmax(0,1fr)_360px]">
        <Roles composition={composition} limit={limit} />
        {since === null ? (
          <>
            <Suggestions composition={composition} />
            <Compression composition={composition} sessionId={session.id} limit={limit} />
          </>
        ) : (
          <p className="max-w-[64ch] text-ink2">{since} Advice follows with the next turn.</p>
        )}
      </div>
    </section>
  );
}

interface RolesProps {
  composition: ChainComposition;
  limit: number | null;
}

const tokensOf = ({ roles }: ChainComposition) => roles.reduce((sum, { tokens }) => sum + tokens, 0);

function Roles({ composition, limit }: RolesProps) {
  const { roles } = composition;
  const tokens = tokensOf(composition);
  const messages = roles.reduce((sum, role) => sum + role.messages, 0);
  return (
    <div className="min-w-0">
      <CompositionBar composition={composition} limit={limit} />
      <table className="mt-[8px] w-full">
        <caption className="sr-only">Tokens by role</caption>
        <thead>
          <tr className="border-b border-hair2 text-small text-ink2">
            {['role', 'messages', 'tokens', 'share'].map((name) => (
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
          {roles.map((role, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a runner may name a role twice
            <tr key={index} className="border-b border-hair">
              <th scope="row" className="max-w-0 truncate py-[4px] text-left font-normal" title={role.role}>
                <span className={`inline-block h-[10px] w-[12px] align-[-1px] ${textureOf(index)}`} />
                <span className="ml-[9px]">{role.role}</span>
              </th>
              <Figure>{formatExact(role.messages)}</Figure>
              <Figure>{formatExact(role.tokens)}</Figure>
              <Figure>{tokens === 0 ? '0\u00a0%' : formatPercent(role.tokens / tokens)}</Figure>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr className="text-ink2">
            <th scope="row" className="py-[4px] text-left font-normal">
              in all
            </th>
            <Figure>{formatExact(messages)}</Figure>
            <Figure>{formatExact(tokens)}</Figure>
            <td />
          </tr>
        </tfoot>
      </table>
    </div>
  );
}

function Figure({ children }: { children: string }) {
  return <td className="num py-[4px] text-right">{children}</td>;
}

/** Solid, empty, close hatch, wide hatch, for colour is the state's; further roles begin again. */
const TEXTURES = [
  'bg-ink',
  '',
  'bg-[repeating-linear-gradient(135deg,var(--ink)_0_0.75px,transparent_0.75px_2.25px)]',
  'bg-[repeating-linear-gradient(135deg,var(--ink)_0_0.75px,transparent_0.75px_4.5px)]',
];
const textureOf = (index: number) => `border border-ink ${TEXTURES[index % TEXTURES.length]}`;

/**
 * The context as one bar on the axis of all pressures, 0 to 110 % of the limit, one piece per role. Without a limit it
 * is as long as its place.
 */
function CompositionBar({ composition, limit }: RolesProps) {
  const tokens = tokensOf(composition);
  const isLimited = limit !== null && limit > 0;
  const span = isLimited ? Math.max(limit * 1.1, tokens * 1.02) : Math.max(1, tokens);
  const share = (count: number) => `${(count / span) * 100}%`;
  return (
    <div className="relative h-[17px] border-b border-hair" aria-hidden="true">
      <div className="flex h-[14px]">
        {composition.roles.map((role, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a runner may name a role twice
          <span key={index} className={textureOf(index)} style={{ width: share(role.tokens) }} />
        ))}
      </div>
      {isLimited ? (
        <span className="absolute top-0 h-[16px] w-[1.5px] bg-ink" style={{ left: share(limit) }} />
      ) : null}
    </div>
  );
}

function Suggestions({ composition }: { composition: ChainComposition }) {
  const tokens = tokensOf(composition);
  const { suggestions } = composition;
  return (
    <div className="min-w-0">
      <h3 className="pb-[6px] text-small font-normal text-ink2">what could be taken out</h3>
      {suggestions.length === 0 ? (
        <p className="max-w-[48ch] text-ink2">
          Nothing worth it: no role holds more than its part, and little of it is old.
        </p>
      ) : (
        <ul>
          {suggestions.map((suggestion, index) => (
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: a runner may suggest the same twice
              key={index}
              className="flex flex-wrap items-baseline gap-x-[16px] gap-y-[2px] border-b border-hair py-[7px] first:border-t first:border-hair2"
            >
              <span className="min-w-0 flex-1 basis-[220px]">
                <FiguresText
                  text={`${suggestionWords(suggestion)}: saves ${formatCount(suggestion.tokensSaved, 'token')}${
                    tokens === 0 ? '' : `, ${formatPercent(suggestion.tokensSaved / tokens)} of it`
                  }.`}
                />
              </span>
              <span className="whitespace-nowrap">{suggestion.impact} impact</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** What a compression would remove, as the chart draws a compaction: kept is ink, freed is hatch. */
function Compression({ composition, sessionId, limit }: RolesProps & { sessionId: string }) {
  if (composition.compression === null) return null;
  const { targetPercent, messagesRemoved, tokensRemoved, tokensLeft } = composition.compression;
  const left = formatExact(tokensLeft);
  return (
    <div className="min-w-0">
      <h3 className="pb-[6px] text-small font-normal text-ink2">
        a compression to <span className="num">{`${targetPercent}\u00a0%`}</span>
      </h3>
      {messagesRemoved === 0 ? null : (
        <CompactionBar
          seed={`${sessionId} ${composition.chain}`}
          before={tokensLeft + tokensRemoved}
          after={tokensLeft}
          limit={limit}
          afterWord="left after it"
        />
      )}
      <p className={messagesRemoved === 0 ? '' : 'mt-[8px]'}>
        <FiguresText
          text={
            messagesRemoved === 0
              ? `Would remove nothing: ${left} tokens are left as they are.`
              : `Would remove ${formatCount(messagesRemoved, 'message')} of ${formatExact(tokensRemoved)} tokens, the oldest first, and leave ${left}.`
          }
        />
      </p>
    </div>
  );
}
