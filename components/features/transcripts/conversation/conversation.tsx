'use client';
import { parseAsInteger, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { TranscriptOutline } from '@/core/api/transcript-contents';
import type { TranscriptLost } from '@/core/api/transcript-lost';
import { formatCount, formatExact } from '../../../format/format-tokens';
import { PanelBoundary } from '../../../ui/panel-boundary';
import { useShortcut } from '../../../ui/use-shortcut';
import { AskDialog } from './ask-dialog';
import { ContextTrace } from './context-trace';
import { ConversationProvider } from './conversation-context';
import { ConversationTools } from './conversation-tools';
import { LostPanel } from './lost-panel';
import {
  entryOfLine,
  foldOfEntry,
  kindOf,
  partOfRow,
  prepareRawRows,
  prepareRows,
  ROWS_A_PART,
  rowOfEntry,
} from './prepare-rows';
import { prepareSteps } from './prepare-steps';
import { RowList, type RowListHandle } from './row-list';
import { useWholeEntries } from './use-entries';
import { useFind } from './use-find';
import { useMarks } from './use-marks';
import { useMeasuredHeight } from './use-measured-height';
import { useReveal } from './use-reveal';

interface ConversationProps {
  id: string;
  outline: TranscriptOutline;
  /** Entries of the file; more than the outline has while only its beginning is loaded. */
  total: number;
  /** Load the rest of the outline: the first rows are drawn. */
  loadRest: () => void;
  lost: TranscriptLost | null;
  lostFailed: string | null;
  url: ConversationUrl;
  change: (part: Partial<ConversationUrl>) => void;
  zone: string;
}

const URL_STATE = {
  /** Words to find. */
  q: parseAsString.withDefault(''),
  /** A line of the file, from 0. */
  line: parseAsInteger,
  view: parseAsStringLiteral(['raw'] as const),
};

/** The conversation's place in the address, so that a link shows the same to a colleague. */
export function useConversationUrl() {
  return useQueryStates(URL_STATE, { history: 'replace', shallow: true, scroll: false });
}

type ConversationUrl = ReturnType<typeof useConversationUrl>[0];

/** Rows that a fold of the conversation is named by: `row 12`. */
const ROW_FOLD = /^row (\d+)$/;

/** The address's hash that opens the panel where it is folded. */
const LOST = 'what-was-lost';

/** The messages, the context trace beside them, what was lost, and navigation between places. */
export function Conversation(props: ConversationProps) {
  const { id, outline, total, loadRest, lost, lostFailed, url, change, zone } = props;
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
    return prepareRows(outline, new Set(folds));
  }, [outline, open, isRaw]);

  /** The entry to scroll to; marked unless it was chosen on the trace. */
  const [target, setTarget] = useState<{ entry: number; round: number; isMarked: boolean } | null>(() => {
    const entry = url.line === null ? null : entryOfLine(outline, url.line);
    return entry === null ? null : { entry, round: 0, isMarked: true };
  });
  const isWhole = outline.entries >= total;
  // An entry beyond the loaded beginning is scrolled to once the rest is here.
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

  const list = useRef<RowListHandle>(null);
  const body = useRef<HTMLDivElement>(null);
  const tools = useRef<HTMLElement>(null);
  const stickyPx = useMeasuredHeight(tools);
  const [seen, setSeen] = useState({ from: 0, to: 0 });
  const onSeen = useCallback((from: number, to: number) => setSeen({ from, to }), []);
  const firstSeen = shown[seen.from]?.entries[0] ?? 0;
  const lastSeen = shown[Math.min(seen.to, shown.length - 1)]?.entries.at(-1) ?? firstSeen;

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
  // Opening a fold changes the rows: scroll once they are drawn.
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

  const found = useFind(id, url.q);
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

  const actions = useMemo(
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
        // It is on screen already: mark it without scrolling.
        if (entry !== null)
          setTarget((now) => ({ entry, round: now?.round ?? arrived.current, isMarked: true }));
      },
    }),
    [id, open, reveal.valueOf, reveal.ask, outline, change],
  );

  return (
    <ConversationProvider value={actions}>
      <div className="conversation">
        <aside aria-label="Size of the context along the transcript" className="conversation-trace">
          {outline.calls.length === 0 || !isWhole ? null : (
            <ContextTrace
              outline={outline}
              seen={{ from: firstSeen, to: lastSeen }}
              zone={zone}
              go={(entry) => go(entry, { isMarked: false })}
            />
          )}
        </aside>
        <div ref={body} className="conversation-body">
          <ConversationTools
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
            isRevealed={reveal.isShown}
            mask={reveal.mask}
            lost={{ isOpen: isLostOpen, toggle: () => setIsLostOpen(!isLostOpen) }}
          />
          {parts === 1 && !isPartsUnknown ? null : (
            <Parts part={shownPart} parts={isPartsUnknown ? null : parts} setPart={setPart} />
          )}
          {rows.length === 0 ? (
            <p className="py-[14px] text-ink2">The file is empty.</p>
          ) : (
            <RowList
              key={`${isRaw} ${shownPart}`}
              ref={list}
              id={id}
              rows={shown}
              outline={outline}
              steps={steps}
              zone={zone}
              isRaw={isRaw}
              whole={whole}
              stickyPx={stickyPx + 4}
              target={target?.isMarked ? targetRow - first : -1}
              onSeen={onSeen}
              onDrawn={loadRest}
            />
          )}
          {parts === 1 ? null : <Parts part={shownPart} parts={parts} setPart={setPart} />}
        </div>
        <aside
          id={LOST}
          className={`conversation-lost ${isLostOpen ? 'is-open' : ''}`}
          aria-label="What was lost"
        >
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
      {reveal.isAsking ? (
        <AskDialog
          title={`Show ${formatCount(outline.secrets, 'secret')}?`}
          needsReason={false}
          close={reveal.cancel}
          action={{ name: 'Show', act: reveal.show }}
        >
          The transcript is shown without masks until you leave the page. The audit log records it.
        </AskDialog>
      ) : null}
    </ConversationProvider>
  );
}

/** The hit of the first step: the next one from here, or the previous one. */
function startOf(hits: readonly { entry: number }[], here: number, by: 1 | -1): number {
  const index =
    by === 1
      ? hits.findIndex(({ entry }) => entry >= here)
      : hits.findLastIndex(({ entry }) => entry <= here);
  return index === -1 ? (by === 1 ? 0 : hits.length - 1) : index;
}

/** Folds within the row of an entry; a result is in the row of its call. */
function foldsOf(outline: TranscriptOutline, entry: number): string[] {
  const pair = kindOf(outline, entry) === 'tool_result' ? outline.columns.pair[entry] : null;
  return [String(entry), `all ${entry}`, ...(pair == null ? [] : [String(pair)])];
}

interface PartsProps {
  part: number;
  /** Null: unknown yet. */
  parts: number | null;
  setPart: (part: number) => void;
}

/** Transcripts with more rows than fit the height limit of browsers are shown in parts. */
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
