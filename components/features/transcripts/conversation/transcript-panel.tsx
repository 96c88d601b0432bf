'use client';
import Link from 'next/link';
import { useRouter } from 'next/navigation';
import './conversation.css';
import '../../../charts/chart.css';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { TranscriptRow } from '@/core/api/transcripts';
import type { TranscriptState } from '@/core/transcript/transcript-states';
import { useNow } from '../../../data/use-clock';
import { useTimeZone } from '../../../data/use-time-zone';
import { checksumWords } from '../../../format/transcript-words';
import { CopyButton } from '../../../ui/copy-button';
import { PanelBoundary } from '../../../ui/panel-boundary';
import { deleteTranscript } from '../transcript-queries';
import { AskDialog } from './ask-dialog';
import { Conversation, useConversationUrl } from './conversation';
import { SourceView } from './source-view';
import { TranscriptHead } from './transcript-head';
import { useTranscript } from './use-transcript';

/** One archived transcript: its facts and its conversation. All of its text is untrusted. */
export function TranscriptPanel({ id, known }: { id: string; known: TranscriptRow | null }) {
  const zone = useTimeZone();
  const now = useNow(60_000);
  const [url, change] = useConversationUrl();
  const beginsAtTop = url.line === null && url.view !== 'raw';
  const page = useTranscript(id, { known, beginsAtTop });
  const [isDeleting, setIsDeleting] = useState(false);
  const router = useRouter();
  const client = useQueryClient();
  const { row, outline, failed, isMissing } = page;
  if (isMissing) return <Missing />;
  return (
    <div className="page-x pb-[48px]">
      {row === null ? (
        <header className="pt-[14px] pb-[10px]" aria-busy={failed === null}>
          <h1 className="text-title">Transcript</h1>
        </header>
      ) : (
        <TranscriptHead
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
            The transcript could not be {row === null ? 'loaded' : 'refreshed'}. Retrying automatically.{' '}
            <span className="text-ink2">{failed}</span>
          </>
        )}
      </p>
      {row === null ? (
        <div className="min-h-[480px] border-t border-ink" />
      ) : row.state !== 'stored' ? (
        <NotStored
          words={checksumWords(row, zone, now)}
          step={NEXT_STEPS[row.state] ?? LOST}
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
            loadRest={page.loadRest}
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
          action={{
            name: 'Delete',
            act: async (reason) => {
              await deleteTranscript(id, reason);
              setIsDeleting(false);
              await client.invalidateQueries({ queryKey: ['transcripts', id] });
              router.refresh();
            },
          }}
        >
          This server permanently removes its content. A row with the reason remains, and so does the runner’s
          own copy.
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
        {words.replace(/\.$/, '')}. <span className="text-ink2">{sentence}</span>
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
  sentence: 'Only the client may still have what the compaction dropped.',
  commands: [],
};
/** What a state without content means, and the commands that help. */
const NEXT_STEPS: Readonly<Partial<Record<TranscriptState, NextStep>>> = {
  deleted: { sentence: 'Its content was removed from this server.', commands: [] },
  announced: {
    sentence: 'To upload it now, run the command below.',
    commands: ['npx barograph archives upload'],
  },
  uploading: { sentence: 'It appears here when the upload is verified.', commands: [] },
  damaged: {
    sentence: 'It is not shown until it is repaired. The runner’s machine may still have the original.',
    commands: ['npx barograph archives verify', 'npx barograph archives upload'],
  },
};

function Unread({ id, state, reason }: { id: string; state: string | null; reason: string | null }) {
  return (
    <div className="min-h-[480px] border-t border-ink py-[14px]" aria-busy={state !== 'failed'}>
      <p role="status">
        {state === 'failed'
          ? `It cannot be shown as a conversation: ${reason ?? 'no reason given'}. The source is below.`
          : state === null
            ? 'Loading'
            : 'Stored. It appears here when the server has processed it.'}
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
        No transcript has this address.{' '}
        <Link href="/transcripts" className="link text-ink">
          All transcripts
        </Link>
      </p>
    </div>
  );
}
