'use client';
import Link from 'next/link';
import { useRouter } from 'next/navigation';
import './talk.css';
import '../../charts/chart.css';
import { useEffect, useState } from 'react';
import type { TranscriptRow } from '@/core/api/transcripts';
import type { TranscriptState } from '@/core/transcript/transcript-states';
import { useNow } from '../../live/use-clock';
import { useTimeZone } from '../../live/use-time-zone';
import { CopyButton } from '../../ui/copy-button';
import { PanelBoundary } from '../../ui/panel-boundary';
import { deleteTranscript } from '../fetch-transcripts';
import { checksumWords } from '../transcript-words';
import { AskDialog } from './ask-dialog';
import { Conversation } from './conversation';
import { SourceView } from './source-view';
import { TalkHead } from './talk-head';
import { useTalkUrl } from './use-talk-url';
import { useTranscript } from './use-transcript';

/** One archived transcript: what is known of the copy, and what was said. Everything in it is a stranger's text. */
export function TalkPanel({ id, known }: { id: string; known: TranscriptRow | null }) {
  const zone = useTimeZone();
  const now = useNow(60_000);
  const [url, change] = useTalkUrl();
  const beginsAtTop = url.line === null && url.view !== 'raw';
  const page = useTranscript(id, { known, beginsAtTop });
  const [isDeleting, setIsDeleting] = useState(false);
  const router = useRouter();
  const { row, outline, failed, isMissing } = page;
  // Known by its archive's id until it had a row, it has an address of its own by now.
  const ownId = row?.id ?? id;
  useEffect(() => {
    if (ownId !== id) router.replace(`/transcripts/${ownId}`);
  }, [ownId, id, router]);
  if (isMissing) return <Missing />;
  return (
    <div className="page-x pb-[48px]">
      {row === null ? (
        <header className="pt-[14px] pb-[10px]" aria-busy={failed === null}>
          <h1 className="text-title">Transcript</h1>
        </header>
      ) : (
        <TalkHead
          row={row}
          zone={zone}
          isRaw={url.view === 'raw'}
          setRaw={(raw) => void change({ view: raw ? 'raw' : null })}
          askToDelete={() => setIsDeleting(true)}
        />
      )}
      <p role="status" className={failed === null ? 'sr-only' : 'border-t border-hair py-[8px]'}>
        {failed === null ? null : (
          <>
            The transcript could not be read{row === null ? '' : ' again; what is shown stays as it was'}. It
            is tried again by itself. <span className="text-ink2">{failed}</span>
          </>
        )}
      </p>
      {row === null ? (
        <div className="min-h-[480px] border-t border-ink" />
      ) : row.state !== 'stored' ? (
        <NotStored
          words={checksumWords(row, zone, now)}
          step={row.heldUp ? HELD_UP : (NEXT_STEPS[row.state] ?? LOST)}
          host={row.host}
        />
      ) : outline === null || outline.state !== 'read' ? (
        <Unread id={id} state={outline?.state ?? null} reason={outline?.reason ?? null} />
      ) : (
        <PanelBoundary name="The conversation">
          <Conversation
            key={`${id} ${outline.readAt}`}
            id={id}
            outline={outline}
            total={page.total}
            hurry={page.hurry}
            first={page.first}
            lost={page.lost}
            lostFailed={page.lostFailed}
            url={url}
            change={change}
            zone={zone}
          />
        </PanelBoundary>
      )}
      {isDeleting && row !== null ? (
        <AskDialog
          title="Delete this transcript?"
          needsReason
          close={() => setIsDeleting(false)}
          actions={[
            {
              name: 'Delete',
              act: async (reason) => {
                await deleteTranscript(id, reason);
                setIsDeleting(false);
                page.refresh();
                router.refresh();
              },
            },
          ]}
        >
          Its bytes, its text in the search and its secrets are removed from this server for good; a row with
          the reason stays. The runner’s own copy is not touched.
        </AskDialog>
      ) : null}
    </div>
  );
}

interface NotStoredProps {
  words: string;
  step: NextStep;
  host: string | null;
}

function NotStored({ words, step: { sentence, commands }, host }: NotStoredProps) {
  return (
    <div className="border-t border-ink py-[14px]">
      <p className="max-w-[72ch]">
        {words.charAt(0).toUpperCase() + words.slice(1).replace(/\.$/, '')}.{' '}
        <span className="text-ink2">{sentence}</span>
      </p>
      {commands.length === 0 ? null : (
        <>
          <p className="pt-[10px] text-small text-ink2">
            On <bdi>{host ?? 'the runner’s machine'}</bdi>:
          </p>
          <ul>
            {commands.map((command) => (
              <li key={command} className="flex items-center gap-[10px] leading-[26px]">
                <code className="font-mono">{command}</code>
                <CopyButton text={command} what={command} />
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

interface NextStep {
  sentence: string;
  commands: readonly string[];
}

const LOST: NextStep = {
  sentence: 'The session went on; what the compaction threw away is kept by the client alone, if at all.',
  commands: [],
};
const HELD_UP: NextStep = {
  sentence:
    'The runner keeps the copy and comes again by itself; what came in of it stays. To have it sent at once when the server can take it:',
  commands: ['npx barograph archives upload'],
};
/** What it means that its bytes are not here, and what brings them. */
const NEXT_STEPS: Readonly<Partial<Record<TranscriptState, NextStep>>> = {
  deleted: { sentence: 'What it held is gone from this server.', commands: [] },
  announced: { sentence: 'The runner has the copy.', commands: ['npx barograph archives upload'] },
  uploading: { sentence: 'It is shown here as soon as its bytes were read back.', commands: [] },
  damaged: {
    sentence:
      'Nothing of it is shown until it is whole again. The runner’s machine may still have these bytes.',
    commands: ['npx barograph archives verify', 'npx barograph archives upload'],
  },
};

function Unread({ id, state, reason }: { id: string; state: string | null; reason: string | null }) {
  return (
    <div className="min-h-[480px] border-t border-ink py-[14px]" aria-busy={state !== 'failed'}>
      <p role="status">
        {state === 'failed'
          ? `It cannot be shown as a conversation: ${reason ?? 'no reason stated'}. It stands below as it is, and can be downloaded.`
          : state === null
            ? 'Reading'
            : 'It is stored, and being read for the first time; it is shown as soon as that is done.'}
      </p>
      {state === 'failed' ? <SourceView id={id} /> : null}
    </div>
  );
}

function Missing() {
  return (
    <div className="page-x pt-[28px]">
      <h1 className="text-title">No such transcript</h1>
      <p className="pt-[4px] text-ink2">
        This server has none of this address.{' '}
        <Link href="/transcripts" className="link text-ink">
          All transcripts
        </Link>
      </p>
    </div>
  );
}
