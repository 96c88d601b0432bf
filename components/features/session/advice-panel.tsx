'use client';
import { useState } from 'react';
import type { ChainComposition } from '@/core/api/composition';
import type { Session } from '@/core/api/session';
import type { SessionEvent } from '@/core/events/event';
import { formatPercent } from '../../format/format-percent';
import { formatExact } from '../../format/format-tokens';
import { Ago } from '../../ui/ago';
import { AdviceCompression } from './advice-compression';
import { CompositionBar, RoleSwatch } from './composition-bar';
import { ImpactLabel } from './impact-label';
import { type Advice, prepareAdvice, type RoleRow, type SuggestionRow } from './prepare-advice';

interface AdvicePanelProps {
  session: Session;
  /** The newest of each chain; the panel is absent without any. */
  compositions: readonly ChainComposition[];
  events: readonly SessionEvent[];
}

/** What the context is made of, what could be taken out, and what a compression would remove. */
export default function AdvicePanel({ session, compositions, events }: AdvicePanelProps) {
  const [chain, setChain] = useState('main');
  const composition = compositions.find((one) => one.chain === chain) ?? compositions[0];
  if (composition === undefined) return null;
  const advice = prepareAdvice(composition, session, events);
  const isMain = composition.chain === 'main';
  return (
    <section aria-labelledby="advice" className="mt-[32px] border-t border-ink pt-[10px]">
      <div className="flex flex-wrap items-baseline gap-x-[14px] gap-y-[4px] pb-[14px]">
        <h2 id="advice" className="text-title">
          Advice
        </h2>
        <p className="text-ink2">
          {isMain ? '' : `sub-agent ${composition.chain}, `}context{' '}
          <span className="num">{composition.context}</span> after turn{' '}
          <span className="num">{formatExact(composition.turn)}</span>, <Ago at={composition.at} /> ago, by
          the runner’s own count
        </p>
        <Chains compositions={compositions} chosen={composition.chain} choose={setChain} />
      </div>
      <div className="grid gap-x-[32px] gap-y-[24px] lg:grid-cols-[minmax(0,404px)_minmax(0,1fr)] xl:grid-cols-[404px_minmax(0,1fr)_360px]">
        <Roles advice={advice} limit={isMain ? session.limit : null} />
        {advice.since !== null ? (
          <p className="max-w-[64ch] text-ink2">
            {advice.since === 'ended'
              ? 'This context has ended. Showing its last figures.'
              : 'Messages were taken out since: the figures are those before it.'}{' '}
            Advice follows with the next turn.
          </p>
        ) : (
          <>
            <Suggestions suggestions={advice.suggestions} />
            <AdviceCompression
              compression={advice.compression}
              seed={`${session.id} ${composition.chain}`}
              limit={isMain ? session.limit : null}
            />
          </>
        )}
      </div>
    </section>
  );
}

interface ChainsProps {
  compositions: readonly ChainComposition[];
  chosen: string;
  choose: (chain: string) => void;
}

function Chains({ compositions, chosen, choose }: ChainsProps) {
  if (compositions.length < 2) return null;
  return (
    <fieldset className="ml-auto flex min-w-0 flex-wrap gap-x-[22px] gap-y-[2px]">
      <legend className="sr-only">Chain</legend>
      {compositions.map(({ chain }) => (
        <button
          key={chain}
          type="button"
          aria-pressed={chain === chosen}
          onClick={() => choose(chain)}
          className={`max-w-[220px] truncate ${chain === chosen ? 'underline decoration-[1.5px] underline-offset-[5px]' : 'text-ink2 hover:text-ink'}`}
        >
          {chain === 'main' ? 'Main chain' : chain}
        </button>
      ))}
    </fieldset>
  );
}

/** Tokens by role as a bar and as a table. */
function Roles({ advice, limit }: { advice: Advice; limit: number | null }) {
  const { roles, messages, tokens } = advice;
  return (
    <div className="min-w-0">
      <CompositionBar roles={roles} tokens={tokens} limit={limit} />
      <table className="mt-[8px] w-full">
        <caption className="sr-only">Tokens by role</caption>
        <thead>
          <tr className="border-b border-hair2 text-small text-ink2">
            <th scope="col" className="py-[4px] text-left font-normal">
              role
            </th>
            <NumberHead>messages</NumberHead>
            <NumberHead>tokens</NumberHead>
            <NumberHead>share</NumberHead>
          </tr>
        </thead>
        <tbody>
          {roles.map((role, index) => (
            <Role key={role.id} role={role} index={index} />
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

function Role({ role, index }: { role: RoleRow; index: number }) {
  return (
    <tr className="border-b border-hair">
      <th scope="row" className="max-w-0 truncate py-[4px] text-left font-normal" title={role.name}>
        <RoleSwatch index={index} />
        <span className="ml-[9px]">{role.name}</span>
      </th>
      <Figure>{formatExact(role.messages)}</Figure>
      <Figure>{formatExact(role.tokens)}</Figure>
      <Figure>{role.tokens === 0 ? '0\u00a0%' : formatPercent(role.share)}</Figure>
    </tr>
  );
}

function NumberHead({ children }: { children: React.ReactNode }) {
  return (
    <th scope="col" className="w-[78px] py-[4px] text-right font-normal">
      {children}
    </th>
  );
}

function Figure({ children }: { children: React.ReactNode }) {
  return <td className="num py-[4px] text-right">{children}</td>;
}

function Suggestions({ suggestions }: { suggestions: readonly SuggestionRow[] }) {
  return (
    <div className="min-w-0">
      <h3 className="pb-[6px] text-small font-normal text-ink2">what could be taken out</h3>
      {suggestions.length === 0 ? (
        <p className="max-w-[48ch] text-ink2">
          Nothing worth it: no role holds more than its part, and little of it is old.
        </p>
      ) : (
        <ul>
          {suggestions.map((suggestion) => (
            <li
              key={suggestion.id}
              className="flex flex-wrap items-baseline gap-x-[16px] gap-y-[2px] border-b border-hair py-[7px] first:border-t first:border-hair2"
            >
              <span className="min-w-0 flex-1 basis-[220px]">
                {suggestion.text}: saves{' '}
                <span className="num strong">{formatExact(suggestion.tokensSaved)}</span>{' '}
                {suggestion.tokensSaved === 1 ? 'token' : 'tokens'}
                {suggestion.share === null ? null : (
                  <>
                    , <span className="num">{formatPercent(suggestion.share)}</span> of it
                  </>
                )}
                .
              </span>
              <ImpactLabel impact={suggestion.impact} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
