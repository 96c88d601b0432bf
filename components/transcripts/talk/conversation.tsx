'use client';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { TranscriptMessages, TranscriptOutline } from '@/core/api/transcript-contents';
import type { TranscriptLost } from '@/core/api/transcript-lost';
import { formatExact } from '../../format/format-tokens';
import { useShortcut } from '../../shell/use-shortcut';
import { PanelBoundary } from '../../ui/panel-boundary';
import { AskDialog } from './ask-dialog';
import { ContextTrace } from './context-trace';
import { LostPanel } from './lost-panel';
import {
  entryOfLine,
  foldOfEntry,
  kindOf,
  partOfRow,
  prepareRawRows,
  prepareTalkRows,
  ROWS_A_PART,
  rowOfEntry,
} from './prepare-rows';
import { prepareSteps } from './prepare-steps';
import { TalkProvider } from './talk-context';
import { TalkList, type TalkListHandle } from './talk-list';
import { TalkTools } from './talk-tools';
import { useFind } from './use-find';
import { useMarks } from './use-marks';
import { useMeasuredHeight } from './use-measured-height';
import { useReveal } from './use-reveal';
import type { TalkUrl } from './use-talk-url';
import { useWholeEntries } from './use-whole-entries';

interface ConversationProps {
  id: string;
  outline: TranscriptOutline;
  /** Entries of the file; more than the outline has while only its beginning is here. */
  total: number;
  /** Somebody is about to go where the outline does not reach yet. */
  hurry: () => void;
  /** The first page of entries, where it is here already. */
  first: TranscriptMessages | null;
  lost: TranscriptLost | null;
  lostFailed: string | null;
  url: TalkUrl;
  change: (part: Partial<TalkUrl>) => void;
  zone: string;
}

/** Rows that a fold of the conversation is named by: `row 12`. */
const ROW_FOLD = /^row (\d+)$/;

/** So near to the end of the beginning the rest is asked for. */
const NEAR_ENTRIES = 200;

/** What the address may ask for: where the panel is folded it is open then. */
const LOST = 'what-was-lost';

/** What was said, the trace beside it, what was lost, and ways to get from place to place. */
export function Conversation(props: ConversationProps) {
  const { id, outline, total, hurry, first: firstEntries, lost, lostFailed, url, change, zone } = props;
  const isRaw = url.view === 'raw';
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set());
  const [isLostOpen, setIsLostOpen] = useState(false);
  useEffect(() => {
    if (location.hash === `#${LOST}`) setIsLostOpen(true);
  }, []);
  const reveal = useReveal(id);
  const whole = useWholeEntries(id, isRaw);
  const steps = useMemo(() => prepareSteps(outline), [outline]);
  const rows = useMemo(() => {
    if (isRaw) return prepareRawRows(outline);
    const folds = [...open].flatMap((fold) => ROW_FOLD.exec(fold)?.[1] ?? []).map(Number);
    return prepareTalkRows(outline, new Set(folds));
  }, [outline, open, isRaw]);

  /** The entry one goes to; marked where somebody meant it, and not the place on the trace. */
  const [target, setTarget] = useState<{ entry: number; round: number; isMarked: boolean } | null>(() => {
    const entry = url.line === null ? null : entryOfLine(outline, url.line);
    return entry === null ? null : { entry, round: 0, isMarked: true };
  });
  const isWhole = outline.entries >= total;
  // Where the beginning alone is here, it is gone to when the rest is.
  const isHere = target !== null && (isWhole || target.entry < outline.entries);
  const targetRow = isHere ? rowOfEntry(rows, outline, target.entry) : -1;
  const [part, setPart] = useState(() => partOfRow(Math.max(0, targetRow)));
  const parts = Math.max(1, Math.ceil(rows.length / ROWS_A_PART));
  const isPartsUnknown = !isWhole && total > ROWS_A_PART;
  const shownPart = Math.min(part, parts - 1);
  const first = shownPart * ROWS_A_PART;
  const shown = useMemo(
    () => (parts === 1 ? rows : rows.slice(first, first + ROWS_A_PART)),
    [rows, parts, first],
  );

  const list = useRef<TalkListHandle>(null);
  const body = useRef<HTMLDivElement>(null);
  const tools = useRef<HTMLElement>(null);
  const stickyPx = useMeasuredHeight(tools);
  const [seen, setSeen] = useState({ from: 0, to: 0 });
  const onSeen = useCallback((from: number, to: number) => setSeen({ from, to }), []);
  const firstSeen = shown[seen.from]?.entries[0] ?? 0;
  const lastSeen = shown[Math.min(seen.to, shown.length - 1)]?.entries.at(-1) ?? firstSeen;

  const isBeyond = !isWhole && ((target !== null && !isHere) || lastSeen > outline.entries - NEAR_ENTRIES);
  useEffect(() => {
    if (isBeyond) hurry();
  }, [isBeyond, hurry]);

  const go = useCallback(
    (entry: number, { unfold = false, isMarked = true }: { unfold?: boolean; isMarked?: boolean } = {}) => {
      setTarget((now) => ({ entry, round: (now?.round ?? 0) + 1, isMarked }));
      if (!isMarked) return;
      const fold = foldOfEntry(rows, entry);
      if (fold === null && !unfold) return;
      setOpen((now) => {
        const next = new Set(now);
        if (fold !== null) next.add(`row ${fold}`);
        if (unfold) for (const name of foldsOf(outline, entry)) next.add(name);
        return next;
      });
    },
    [rows, outline],
  );
  // Rows may change with a fold that opens: it is gone to when they are drawn.
  const arrived = useRef(-1);
  useEffect(() => {
    if (target === null || arrived.current === target.round || targetRow < 0) return;
    const wanted = partOfRow(targetRow);
    if (wanted !== shownPart) {
      setPart(wanted);
      return;
    }
    arrived.current = target.round;
    list.current?.scrollTo(targetRow - first);
  }, [target, targetRow, shownPart, first]);

  const found = useFind(id, url.q, true);
  useMarks(body, url.q);
  const [hit, setHit] = useState<number | null>(null);
  const { hits } = found;
  const at = hit === null || hit >= hits.length ? null : hit;
  const stepHit = (by: 1 | -1) => {
    if (hits.length === 0) return;
    const here = at ?? startOf(hits, target?.entry ?? firstSeen, by);
    const next = at === null ? here : (here + by + hits.length) % hits.length;
    const place = hits[next];
    if (place === undefined) return;
    setHit(next);
    go(place.entry, { unfold: true });
    change({ line: place.line });
  };
  const boundary = useMemo(() => {
    const index = outline.compactions.findIndex(({ entry }) => entry >= firstSeen);
    return index === -1 ? null : index;
  }, [outline, firstSeen]);
  const stepBoundary = (by: 1 | -1) => {
    const places = outline.compactions;
    const here = target === null ? firstSeen : target.entry;
    const next =
      by === 1 ? places.find(({ entry }) => entry > here) : places.findLast(({ entry }) => entry < here);
    const place = next ?? (by === 1 ? places[0] : places.at(-1));
    if (place === undefined) return;
    go(place.entry);
    change({ line: outline.columns.line[place.entry] ?? null });
  };
  useShortcut('n', () => stepHit(1));
  useShortcut('p', () => stepHit(-1));
  useShortcut(']', () => stepBoundary(1));
  useShortcut('[', () => stepBoundary(-1));

  const talk = useMemo(
    () => ({
      id,
      isOpen: (fold: string) => open.has(fold),
      toggle: (fold: string) =>
        setOpen((now) => {
          const next = new Set(now);
          if (!next.delete(fold)) next.add(fold);
          return next;
        }),
      revealed: reveal.valueOf,
      askToReveal: reveal.ask,
      nameLine: (line: number) => {
        change({ line });
        const entry = entryOfLine(outline, line);
        // It is on screen: it is marked, and nothing moves.
        if (entry !== null)
          setTarget((now) => ({ entry, round: now?.round ?? arrived.current, isMarked: true }));
      },
    }),
    [id, open, reveal.valueOf, reveal.ask, outline, change],
  );

  return (
    <TalkProvider value={talk}>
      <div className="talk">
        <aside aria-label="Size of the context along the transcript" className="talk-trace">
          {outline.calls.length === 0 || !isWhole ? null : (
            <ContextTrace
              outline={outline}
              seen={{ from: firstSeen, to: lastSeen }}
              zone={zone}
              go={(entry) => go(entry, { isMarked: false })}
            />
          )}
        </aside>
        <div ref={body} className="talk-body">
          <TalkTools
            ref={tools}
            outline={outline}
            words={url.q}
            setWords={(q) => {
              setHit(null);
              change({ q });
            }}
            found={found}
            at={at}
            step={stepHit}
            boundary={boundary}
            stepBoundary={stepBoundary}
            shown={reveal.shown}
            mask={reveal.mask}
            lost={{ isOpen: isLostOpen, toggle: () => setIsLostOpen(!isLostOpen) }}
          />
          {parts === 1 && !isPartsUnknown ? null : (
            <Parts part={shownPart} parts={isPartsUnknown ? null : parts} setPart={setPart} />
          )}
          {rows.length === 0 ? (
            <p className="py-[14px] text-ink2">The file is empty.</p>
          ) : (
            <TalkList
              key={`${isRaw} ${shownPart}`}
              ref={list}
              id={id}
              rows={shown}
              outline={outline}
              first={firstEntries}
              steps={steps}
              zone={zone}
              isRaw={isRaw}
              whole={whole}
              stickyPx={stickyPx + 4}
              target={target?.isMarked ? targetRow - first : -1}
              onSeen={onSeen}
            />
          )}
          {parts === 1 ? null : <Parts part={shownPart} parts={parts} setPart={setPart} />}
        </div>
        <aside id={LOST} className={`talk-lost ${isLostOpen ? 'is-open' : ''}`} aria-label="What was lost">
          <PanelBoundary name="What was lost">
            <LostPanel
              id={id}
              lost={lost}
              failed={lostFailed}
              limit={outline.window}
              go={(entry) => go(entry, { unfold: true })}
            />
          </PanelBoundary>
        </aside>
      </div>
      {reveal.asked === null ? null : (
        <AskDialog
          title={`Show this ${reveal.asked.rule}?`}
          needsReason={false}
          close={reveal.cancel}
          actions={[
            { name: 'Show it', act: (reason) => reveal.show('one', reason) },
            ...(outline.secrets > 1
              ? [
                  {
                    name: `Show all ${formatExact(outline.secrets)}`,
                    act: (reason: string) => reveal.show('all', reason),
                  },
                ]
              : []),
          ]}
        >
          It looks like a secret, and is masked. That it was shown is written to the audit log; it is masked
          again when you leave the page.
        </AskDialog>
      )}
    </TalkProvider>
  );
}

/** The hit from which a first step begins: the next one from here, or the last one before. */
function startOf(hits: readonly { entry: number }[], here: number, by: 1 | -1): number {
  const index =
    by === 1
      ? hits.findIndex(({ entry }) => entry >= here)
      : hits.findLastIndex(({ entry }) => entry <= here);
  return index === -1 ? (by === 1 ? 0 : hits.length - 1) : index;
}

/** Folds within the row of an entry: its own, and of a result its call's. */
function foldsOf(outline: TranscriptOutline, entry: number): string[] {
  const pair = kindOf(outline, entry) === 'tool_result' ? outline.columns.pair[entry] : null;
  return [String(entry), `all ${entry}`, ...(pair == null ? [] : [String(pair)])];
}

interface PartsProps {
  part: number;
  /** Null: it is not known yet. */
  parts: number | null;
  setPart: (part: number) => void;
}

/** A transcript of more rows than a page can be high is shown in parts. */
function Parts({ part, parts, setPart }: PartsProps) {
  return (
    <nav aria-label="Parts" className="flex items-center gap-[12px] border-b border-hair py-[6px] text-small">
      <button type="button" className="button" disabled={part === 0} onClick={() => setPart(part - 1)}>
        Earlier
      </button>
      <span className="text-ink2">
        part <span className="num">{formatExact(part + 1)}</span> of{' '}
        <span className="num">{parts === null ? '…' : formatExact(parts)}</span>
      </span>
      <button
        type="button"
        className="button"
        disabled={parts === null || part === parts - 1}
        onClick={() => setPart(part + 1)}
      >
        Later
      </button>
    </nav>
  );
}
