'use client';
import { useQuery } from '@tanstack/react-query';
import { parseAsInteger, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { Suspense, useCallback, useMemo, useRef, useState } from 'react';
import type { TranscriptOutline } from '@/core/api/transcript-contents';
import { callEntryNear } from '../../../data/message-at';
import { lostQuery } from '../../../data/session-transcripts';
import { revealSecrets } from '../../../data/transcript-queries';
import { formatCount } from '../../../format/format-tokens';
import { useMay } from '../../../preferences/viewer';
import { lazyPart } from '../../../ui/lazy-part';
import { PanelBoundary } from '../../../ui/panel-boundary';
import { ContextTrace } from './context-trace';
import { ConversationTools } from './conversation-tools';
import { compactionNear, entryOfLine, summaryBeyond, tearOf } from './find-place';
import { LostPanel } from './lost-panel';
import { foldsOf, prepareRawRows, prepareRows, rowOfEntry } from './prepare-rows';
import { prepareSizes } from './prepare-sizes';
import { RowList } from './row-list';
import { SummaryBeyond } from './row-view';
import { useMarks } from './use-find';
import { stickyHeightOf, useMeasured } from './use-measured';
import type { LoadedTranscript } from './use-transcript';

const AskDialog = lazyPart(() => import('./ask-dialog'));

const URL_STATE = {
  q: parseAsString.withDefault(''),
  /** A line of the file, from 0. */
  line: parseAsInteger,
  /** Time of a turn, or with the hash of a compaction; ms since the epoch. */
  at: parseAsInteger,
  view: parseAsStringLiteral(['raw'] as const),
};

/** The conversation's place in the URL, so that links can be shared. */
export const useConversationUrl = () =>
  useQueryStates(URL_STATE, { history: 'replace', shallow: true, scroll: false });

type ConversationUrl = ReturnType<typeof useConversationUrl>[0];

interface ConversationProps {
  id: string;
  outline: TranscriptOutline;
  page: LoadedTranscript;
  url: ConversationUrl;
  change: (part: Partial<ConversationUrl>) => void;
  zone: string;
}

/** This hash of the URL opens the panel on screens that fold it. */
const LOST = 'what-was-lost';

interface Place {
  /** -1: the top. */
  entry: number;
  isMarked: boolean;
  lostAt: number | null;
}

/** The place at which the page opens, by its URL; otherwise the tear of the archive. */
function placeOf(
  outline: TranscriptOutline,
  row: LoadedTranscript['row'],
  { line, at }: ConversationUrl,
): Place {
  if (line !== null) return { entry: entryOfLine(outline, line) ?? -1, isMarked: true, lostAt: null };
  if (at === null) return { entry: tearOf(row, outline) ?? -1, isMarked: false, lostAt: null };
  if (location.hash !== `#${LOST}`) {
    return { entry: callEntryNear(outline, at) ?? -1, isMarked: true, lostAt: null };
  }
  // A copy made at the hook ends before its compaction.
  const compaction = row.version === 'hook' ? null : compactionNear(outline, at);
  return { entry: compaction?.entry ?? tearOf(row, outline) ?? -1, isMarked: false, lostAt: at };
}

export function Conversation({ id, outline, page, url, change, zone }: ConversationProps) {
  const isRaw = url.view === 'raw';
  const canReveal = useMay()('admin', page.row.project);
  const isWhole = outline.entries >= page.total;
  // `location` exists: the server has no outline and never renders this component.
  const [isLostOpen, setIsLostOpen] = useState(() => location.hash === `#${LOST}`);
  /** The revealed parts of secrets, by `secret entry`. */
  const [secrets, setSecrets] = useState<ReadonlyMap<string, string> | null>(null);
  const [isAsking, setAsking] = useState(false);
  const [place] = useState(() => placeOf(outline, page.row, url));
  const [open, setOpen] = useState<ReadonlySet<string>>(
    () => new Set(place.isMarked ? foldsOf(prepareRows(outline, new Set()), outline, place.entry) : []),
  );
  const rows = useMemo(
    () => (isRaw ? prepareRawRows(outline) : prepareRows(outline, open)),
    [outline, open, isRaw],
  );

  /** The entry to scroll to; marked unless it was chosen on the trace. */
  const [target, setTarget] = useState({
    entry: place.entry,
    round: place.entry === -1 ? -1 : 0,
    isMarked: place.isMarked,
  });
  /** Time of the compaction in the panel, ms since the epoch; null: the last one. */
  const [lostAt, setLostAt] = useState(place.lostAt);
  const lost = useQuery(lostQuery(id, lostAt));
  const beyond = isRaw || !isWhole ? null : summaryBeyond(outline, lost.data ?? null);
  // If the entry is not loaded yet, the scroll waits for the rest of the outline.
  const isHere = target.entry >= 0 && (isWhole || target.entry < outline.entries);
  const targetRow = isHere ? rowOfEntry(rows, outline, target.entry) : -1;
  const listTarget = useMemo(() => ({ ...target, row: targetRow }), [target, targetRow]);

  const body = useRef<HTMLDivElement>(null);
  const heldUntil = useRef(0);
  useMarks(body, url.q, heldUntil);
  const tools = useRef<HTMLElement>(null);
  const stickyPx = useMeasured(tools, stickyHeightOf) + 4;
  const [seen, setSeen] = useState({ from: 0, to: 0 });
  const onSeen = useCallback((from: number, to: number) => setSeen({ from, to }), []);
  const firstSeen = rows[seen.from]?.first ?? 0;
  const lastSeen = rows[Math.min(seen.to, rows.length - 1)]?.entries.at(-1) ?? firstSeen;

  const scrollTo = (entry: number, isMarked: boolean) =>
    setTarget(({ round }) => ({ entry, round: round + 1, isMarked }));
  /** Shows an entry, with the folds that hide it opened. */
  const go = (entry: number) => {
    scrollTo(entry, true);
    setOpen((now) => new Set([...now, ...foldsOf(rows, outline, entry)]));
    const compaction = outline.compactions.find((each) => each.entry === entry);
    if (compaction?.at) setLostAt(Date.parse(compaction.at));
  };

  const sizes = useMemo(() => prepareSizes(outline), [outline]);
  const actions = useMemo(
    () => ({
      outline,
      sizes,
      zone,
      session: page.row.sessionId,
      isOpen: (fold: string) => open.has(fold),
      toggle: (fold: string) =>
        setOpen((now) => new Set(now.has(fold) ? [...now].filter((name) => name !== fold) : [...now, fold])),
      revealed: (secret: number, entry: number) => secrets?.get(`${secret} ${entry}`),
      askToReveal: canReveal ? () => setAsking(true) : null,
      nameLine: (line: number) => {
        change({ line, at: null });
        const entry = entryOfLine(outline, line);
        // The entry is already on screen: mark it without a scroll.
        if (entry !== null) setTarget(({ round }) => ({ entry, round, isMarked: true }));
      },
    }),
    [outline, sizes, zone, page.row.sessionId, open, secrets, canReveal, change],
  );

  return (
    <>
      <div className="conversation grid grid-cols-[212px_minmax(0,1fr)_372px] border-t border-ink max-[53.75rem]:grid-cols-[minmax(0,1fr)] max-xl:grid-cols-[212px_minmax(0,1fr)] min-[1800px]:grid-cols-[228px_minmax(0,1fr)_440px]">
        <aside
          aria-label="Size of the context along the transcript"
          className="sticky top-(--head) h-[calc(100vh-var(--head))] border-r border-hair max-[53.75rem]:hidden"
        >
          {outline.calls.length === 0 || !isWhole ? null : (
            <ContextTrace
              outline={outline}
              seen={{ from: firstSeen, to: lastSeen }}
              zone={zone}
              go={(entry) => scrollTo(entry, false)}
            />
          )}
        </aside>
        <div ref={body} className="conversation-body min-w-0 px-[28px] max-[53.75rem]:px-0 max-xl:pr-0">
          <ConversationTools
            ref={tools}
            id={id}
            outline={outline}
            words={url.q}
            change={change}
            firstSeen={firstSeen}
            here={target.entry >= 0 ? target.entry : firstSeen}
            go={go}
            mask={secrets && (() => setSecrets(null))}
            isLostOpen={isLostOpen}
            toggleLost={() => setIsLostOpen(!isLostOpen)}
          />
          {rows.length === 0 ? (
            <p className="py-[14px] text-ink2">
              {outline.entries === 0 ? 'The file is empty.' : 'No messages. The raw view has all lines.'}
            </p>
          ) : (
            <RowList
              key={String(isRaw)}
              id={id}
              rows={rows}
              actions={actions}
              isRaw={isRaw}
              stickyPx={stickyPx}
              target={listTarget}
              words={url.q}
              heldUntil={heldUntil}
              onSeen={onSeen}
              onDrawn={page.loadRest}
              tail={beyond && <SummaryBeyond text={beyond} />}
            />
          )}
        </div>
        <aside
          id={LOST}
          className={`sticky top-(--head) max-h-[calc(100vh-var(--head))] overflow-y-auto border-l border-hair pt-[14px] pb-[24px] pl-[24px] [scrollbar-width:thin] max-xl:static max-xl:col-span-full max-xl:row-start-1 max-xl:max-h-none max-xl:border-b max-xl:border-l-0 max-xl:border-ink max-xl:pb-[14px] max-xl:pl-0 ${isLostOpen ? '' : 'max-xl:hidden'}`}
          aria-label="What was lost"
        >
          <PanelBoundary name="What was lost">
            <LostPanel
              id={id}
              lost={lost.data ?? null}
              failed={lost.error?.message ?? null}
              limit={outline.window}
              go={go}
            />
          </PanelBoundary>
        </aside>
      </div>
      {isAsking ? (
        <Suspense>
          <AskDialog
            title={`Show ${formatCount(outline.secrets, 'secret')}?`}
            name="Show"
            act={async (reason) => setSecrets(await revealSecrets(id, reason))}
            close={() => setAsking(false)}
          >
            The transcript is shown without masks until you leave the page. The audit log records it.
          </AskDialog>
        </Suspense>
      ) : null}
    </>
  );
}
