'use client';
/**
 * The answer to "why?", beside its number; on a phone a sheet at the bottom (explain.css). Radix handles position,
 * focus and keyboard. Scrolling stays unlocked: the content security policy refuses the style element of Radix's lock.
 */
import { useQuery } from '@tanstack/react-query';
import { Popover } from 'radix-ui';
import { useEffect, useId, useMemo, useRef, useState } from 'react';
import type { Evidence } from '@/core/api/evidence';
import { explainCompaction } from '@/core/explain/explain-compaction';
import { FLEET_FIGURES } from '@/core/explain/explain-fleet';
import { explainHistory } from '@/core/explain/explain-history';
import { SESSION_FIGURES, type SessionFigure } from '@/core/explain/explain-session';
import type { Explanation } from '@/core/explain/explanation';
import { fetchJson } from '../data/fetch-json';
import { useLiveRefresh } from '../data/use-live-refresh';
import { useTimeZone } from '../data/use-time-zone';
import { Answer, AnswerHead } from './answer';
import { type Asked, type Question, stopAsking } from './asked';

const ANSWER =
  'why-answer z-[45] flex max-h-[min(620px,var(--radix-popover-content-available-height,620px))] w-[404px] max-w-[calc(100vw-24px)] flex-col overflow-auto overscroll-contain border border-ink bg-raised text-body whitespace-normal text-ink focus-visible:outline-none max-[600px]:max-h-[72dvh] max-[600px]:w-auto max-[600px]:max-w-none max-[600px]:border-x-0 max-[600px]:border-b-0 max-[600px]:pb-[env(safe-area-inset-bottom)]';

export default function WhyPopover({ question, anchor }: Asked) {
  const titleId = useId();
  const content = useRef<HTMLDivElement>(null);
  const wasLeft = useRef(false);
  const place = useMemo(() => ({ current: anchor }), [anchor]);
  useEffect(() => {
    anchor.setAttribute('aria-expanded', 'true');
    // The answer closes when its number is removed from the page.
    const observer = new MutationObserver(() => {
      if (!anchor.isConnected) stopAsking();
    });
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      observer.disconnect();
      anchor.removeAttribute('aria-expanded');
    };
  }, [anchor]);
  return (
    <Popover.Root open onOpenChange={(open) => (open ? undefined : stopAsking())}>
      <Popover.Anchor virtualRef={place} />
      <Popover.Portal>
        <Popover.Content
          ref={content}
          className={ANSWER}
          align="start"
          sideOffset={6}
          collisionPadding={12}
          aria-labelledby={titleId}
          onKeyDown={(event) => {
            if (event.key.toLowerCase() !== 'e' || event.ctrlKey || event.metaKey || event.altKey) return;
            nextInRow(anchor, event.shiftKey ? -1 : 1)?.click();
          }}
          onOpenAutoFocus={(event) => {
            event.preventDefault();
            content.current?.focus({ preventScroll: true });
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            // After a press elsewhere, the pressed element keeps the focus.
            if (!wasLeft.current && anchor.isConnected) anchor.focus({ preventScroll: true });
          }}
          onInteractOutside={(event) => {
            // A second press on the number closes the answer.
            if (event.target instanceof Node && anchor.contains(event.target)) event.preventDefault();
            else wasLeft.current = true;
          }}
        >
          {question.about === 'session' ? (
            <SessionAnswer key={`${question.id} ${question.figure}`} question={question} titleId={titleId} />
          ) : (
            <Shown explanation={explain(question)} titleId={titleId} />
          )}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** The next or previous number of the same row, wrapping around. */
function nextInRow(anchor: HTMLElement, step: 1 | -1): HTMLElement | undefined {
  const all = [...(anchor.closest('[data-row]')?.querySelectorAll<HTMLElement>('.why') ?? [])].filter((why) =>
    why.checkVisibility(),
  );
  const next = all[(all.indexOf(anchor) + step + all.length) % all.length];
  return next === anchor ? undefined : next;
}

function explain(question: Exclude<Question, { about: 'session' }>): Explanation {
  switch (question.about) {
    case 'compaction':
      return explainCompaction(question.event);
    case 'fleet':
      return FLEET_FIGURES[question.figure](question.facts);
    case 'history':
      return explainHistory(question.figure, question.facts);
  }
}

interface SessionAnswerProps {
  question: Extract<Question, { about: 'session' }>;
  titleId: string;
}

/** The answer from a session's evidence, read again with each version. Numbers in a formula open their own answers. */
function SessionAnswer({ question: { id, version, figure }, titleId }: SessionAnswerProps) {
  const query = useQuery({
    queryKey: ['sessions', id, 'evidence'],
    queryFn: ({ signal }) =>
      fetchJson<Evidence>(`/api/v1/sessions/${encodeURIComponent(id)}/evidence`, { signal }),
    staleTime: 0,
  });
  useLiveRefresh(query, version);
  const { data: evidence, failureCount } = query;
  const [trail, setTrail] = useState<readonly SessionFigure[]>([figure]);
  if (evidence === undefined) {
    return (
      <div className="px-[16px] py-[12px]">
        <h2 id={titleId} className="sr-only">
          Why this number
        </h2>
        <p role="status" className="min-h-[120px] text-ink2">
          {failureCount > 0
            ? 'The calculation could not be read. Retrying automatically.'
            : 'Loading the calculation…'}
        </p>
        <CloseButton />
      </div>
    );
  }
  const before = trail.at(-2);
  return (
    <Shown
      explanation={SESSION_FIGURES[trail.at(-1) ?? figure](evidence)}
      titleId={titleId}
      follow={(next) => {
        if (Object.hasOwn(SESSION_FIGURES, next)) setTrail([...trail, next as SessionFigure]);
      }}
    >
      {before === undefined ? null : (
        <button
          type="button"
          className="link text-small text-ink2"
          onClick={() => setTrail(trail.slice(0, -1))}
        >
          back to {SESSION_FIGURES[before](evidence).title.toLowerCase()}
        </button>
      )}
      {failureCount > 0 ? (
        <p role="status" className="text-small">
          The update could not be read. Showing the last calculation.
        </p>
      ) : null}
    </Shown>
  );
}

interface ShownProps {
  explanation: Explanation;
  titleId: string;
  follow?: (figure: string) => void;
  children?: React.ReactNode;
}

function Shown({ explanation, titleId, follow = () => undefined, children }: ShownProps) {
  const zone = useTimeZone();
  return (
    <>
      <div className="px-[16px] pt-[12px] pb-[10px]">
        <div className="flex items-start justify-between gap-[16px]">
          <h2 id={titleId} className="text-title">
            {explanation.title}
          </h2>
          <CloseButton />
        </div>
        <AnswerHead explanation={explanation} />
        {children}
      </div>
      <Answer explanation={explanation} zone={zone} follow={follow} />
    </>
  );
}

function CloseButton() {
  return (
    <Popover.Close type="button" className="button">
      Close
    </Popover.Close>
  );
}
