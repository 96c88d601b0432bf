'use client';
/**
 * The answer to "why?", at the number that was asked; on a phone a sheet at the bottom. Radix keeps its place, its
 * focus and keyboard. It does not lock scrolling, because the content security policy refuses the style element.
 */
import { Popover } from 'radix-ui';
import { useEffect, useId, useRef, useState } from 'react';
import { explainCompaction } from '@/core/explain/explain-compaction';
import { FLEET_FIGURES } from '@/core/explain/explain-fleet';
import { HISTORY_FIGURES } from '@/core/explain/explain-history';
import { explainPlace } from '@/core/explain/explain-place';
import { explainSession, SESSION_FIGURES, type SessionFigure } from '@/core/explain/explain-session';
import type { Explanation } from '@/core/explain/explanation';
import { useTimeZone } from '../data/use-time-zone';
import { Answer, AnswerHead } from './answer';
import type { Asked, Question } from './asked';
import { nextWhy } from './next-why';
import { useEvidence } from './use-evidence';
import { usePlace } from './use-place';

interface WhyPopoverProps {
  asked: Asked;
  close: () => void;
}

export default function WhyPopover({ asked, close }: WhyPopoverProps) {
  const { question, anchor } = asked;
  const titleId = useId();
  const content = useRef<HTMLDivElement>(null);
  const wasLeft = useRef(false);
  const place = usePlace(anchor);
  useClosedWithout(anchor, close);
  useExpanded(anchor);
  return (
    <Popover.Root open onOpenChange={(open) => (open ? undefined : close())}>
      <Popover.Anchor virtualRef={place.ref} />
      <Popover.Portal>
        <Popover.Content
          ref={content}
          className="why-answer"
          side={place.isSheet ? 'top' : 'bottom'}
          align="start"
          sideOffset={place.isSheet ? 0 : 6}
          collisionPadding={place.isSheet ? 0 : 12}
          avoidCollisions={!place.isSheet}
          aria-labelledby={titleId}
          onKeyDown={(event) => {
            if (event.key.toLowerCase() !== 'e' || event.ctrlKey || event.metaKey || event.altKey) return;
            nextWhy(anchor, event.shiftKey ? -1 : 1)?.click();
          }}
          onOpenAutoFocus={(event) => {
            event.preventDefault();
            content.current?.focus({ preventScroll: true });
          }}
          onCloseAutoFocus={(event) => {
            event.preventDefault();
            // After a press elsewhere the focus is already there.
            if (!wasLeft.current && anchor.isConnected) anchor.focus({ preventScroll: true });
          }}
          onInteractOutside={(event) => {
            // A second press on the number closes the answer.
            if (event.target instanceof Node && anchor.contains(event.target)) event.preventDefault();
            else wasLeft.current = true;
          }}
        >
          <Content key={keyOf(question)} question={question} titleId={titleId} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

/** Close when the number leaves the page. */
function useClosedWithout(anchor: HTMLElement, close: () => void): void {
  useEffect(() => {
    const observer = new MutationObserver(() => {
      if (!anchor.isConnected) close();
    });
    observer.observe(document.body, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [anchor, close]);
}

/** Mark the number as expanded. */
function useExpanded(anchor: HTMLElement): void {
  useEffect(() => {
    anchor.setAttribute('aria-expanded', 'true');
    return () => anchor.removeAttribute('aria-expanded');
  }, [anchor]);
}

/** Another number is another answer; another version of the same one is not. */
function keyOf(question: Question): string {
  switch (question.about) {
    case 'session':
      return `${question.id} ${question.figure}`;
    case 'compaction':
      return question.event.id;
    default:
      return `${question.about} ${question.figure}`;
  }
}

function Content({ question, titleId }: { question: Question; titleId: string }) {
  if (question.about === 'session') return <SessionContent question={question} titleId={titleId} />;
  return <Shown explanation={explain(question)} titleId={titleId} />;
}

function explain(question: Exclude<Question, { about: 'session' }>): Explanation {
  switch (question.about) {
    case 'compaction':
      return explainCompaction(question.event);
    case 'fleet':
      return FLEET_FIGURES[question.figure](question.facts);
    case 'place':
      return explainPlace(question.facts);
    case 'history':
      return HISTORY_FIGURES[question.figure](question.facts);
  }
}

interface SessionContentProps {
  question: Extract<Question, { about: 'session' }>;
  titleId: string;
}

function SessionContent({ question, titleId }: SessionContentProps) {
  const { id, version, figure } = question;
  const { evidence, failed } = useEvidence(id, version);
  const [trail, setTrail] = useState<readonly SessionFigure[]>([]);
  const shown = trail.at(-1) ?? figure;
  if (evidence === null) {
    return (
      <div className="px-[16px] py-[12px]">
        <h2 id={titleId} className="sr-only">
          Why this number
        </h2>
        <p role="status" className="min-h-[120px] text-ink2">
          {failed ? 'The calculation could not be read. Retrying automatically.' : 'Loading the calculation…'}
        </p>
        <CloseButton />
      </div>
    );
  }
  const before = trail.at(-2) ?? figure;
  return (
    <Shown
      explanation={explainSession(shown, evidence)}
      titleId={titleId}
      stale={failed}
      {...(trail.length === 0
        ? {}
        : {
            back: { to: explainSession(before, evidence).title, go: () => setTrail(trail.slice(0, -1)) },
          })}
      follow={(next) => {
        if (Object.hasOwn(SESSION_FIGURES, next)) setTrail([...trail, next as SessionFigure]);
      }}
    />
  );
}

interface ShownProps {
  explanation: Explanation;
  titleId: string;
  /** What is shown could not be read again. */
  stale?: boolean;
  back?: { to: string; go: () => void };
  follow?: (figure: string) => void;
}

function Shown({ explanation, titleId, stale = false, back, follow = () => undefined }: ShownProps) {
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
        {back === undefined ? null : (
          <button type="button" className="link text-small text-ink2" onClick={back.go}>
            back to {back.to.toLowerCase()}
          </button>
        )}
        {stale ? (
          <p role="status" className="text-small">
            Could not be read again: this is as it was.
          </p>
        ) : null}
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
