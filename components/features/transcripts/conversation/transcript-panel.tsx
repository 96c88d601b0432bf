'use client';
import { useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { Suspense, useState } from 'react';
import type { TranscriptRow } from '@/core/api/transcripts';
import type { TranscriptState } from '@/core/transcript/transcript-states';
import { deleteTranscript } from '../../../data/transcript-queries';
import { useNow } from '../../../data/use-clock';
import { useTimeZone } from '../../../data/use-time-zone';
import { checksumWords } from '../../../format/transcript-words';
import { CopyButton } from '../../../ui/copy-button';
import { lazyPart } from '../../../ui/lazy-part';
import { PanelBoundary } from '../../../ui/panel-boundary';
import { ReadFailure } from '../../../ui/part-notice';
import { Conversation, useConversationUrl } from './conversation';
import { TranscriptHead } from './transcript-head';
import { useTranscript } from './use-transcript';

const AskDialog = lazyPart(() => import('./ask-dialog'));

/** One archived transcript: its facts and its conversation. All of its text is untrusted. */
export function TranscriptPanel({ id, known }: { id: string; known: TranscriptRow }) {
  const zone = useTimeZone();
  const now = useNow(60_000);
  const [url, change] = useConversationUrl();
  const page = useTranscript(id, known, url.line === null && url.at === null && url.view !== 'raw');
  const [isDeleting, setIsDeleting] = useState(false);
  const router = useRouter();
  const client = useQueryClient();
  const { row, outline, error } = page;
  return (
    <div className="transcript page-x pb-[48px]">
      <TranscriptHead
        row={row}
        zone={zone}
        now={now}
        isRaw={url.view === 'raw'}
        setRaw={(raw) => void change({ view: raw ? 'raw' : null })}
        askToDelete={() => setIsDeleting(true)}
      />
      <ReadFailure what="The transcript" error={error} hasData={outline !== null || row.state !== 'stored'} />
      {row.state !== 'stored' ? (
        <NotStored row={row} words={checksumWords(row, zone, now)} />
      ) : outline?.state === 'read' ? (
        <PanelBoundary name="The conversation">
          <Conversation
            key={`${id} ${outline.readAt}`}
            id={id}
            outline={outline}
            page={page}
            url={url}
            change={change}
            zone={zone}
          />
        </PanelBoundary>
      ) : (
        <div className="min-h-[480px] border-t border-ink py-[14px]" aria-busy={outline?.state !== 'failed'}>
          <p role="status">
            {outline === null
              ? 'Loading'
              : outline.state === 'failed'
                ? `This file cannot be shown as a conversation: ${outline.reason ?? 'no reason given'}. Download it instead.`
                : 'Stored. It appears here when the server has processed it.'}
          </p>
        </div>
      )}
      {isDeleting ? (
        <Suspense>
          <AskDialog
            title="Delete this transcript?"
            needsReason
            name="Delete"
            act={async (reason) => {
              await deleteTranscript(id, reason);
              await client.invalidateQueries({ queryKey: ['transcripts', id] });
              router.refresh();
            }}
            close={() => setIsDeleting(false)}
          >
            This server permanently removes its content. A row with the reason remains, and so does the
            runner’s own copy.
          </AskDialog>
        </Suspense>
      ) : null}
    </div>
  );
}

const UPLOAD = 'npx barograph archives upload';
/** What each state without content means, and the commands that help. */
const NEXT_STEPS: Partial<Record<TranscriptState, readonly [words: string, ...commands: string[]]>> = {
  deleted: ['Its content was removed from this server.'],
  announced: ['To upload it now, run the command below.', UPLOAD],
  uploading: ['It appears here when the upload is verified.'],
  damaged: [
    'It is not shown until it is repaired. The runner’s machine may still have the original.',
    'npx barograph archives verify',
    UPLOAD,
  ],
};

function NotStored({ row, words }: { row: TranscriptRow; words: string }) {
  const [sentence, ...commands] = NEXT_STEPS[row.state] ?? [
    'Only the client may still have what the compaction dropped.',
  ];
  return (
    <div className="border-t border-ink py-[14px]">
      <p className="max-w-[72ch]">
        {words.replace(/\.$/, '')}. <span className="text-ink2">{sentence}</span>
      </p>
      {commands.length === 0 ? null : (
        <p className="pt-[10px] text-small text-ink2">
          On <bdi>{row.host ?? 'the runner’s machine'}</bdi>:
        </p>
      )}
      {commands.map((command) => (
        <p key={command} className="flex items-center gap-[10px] leading-[26px]">
          <code className="font-mono">{command}</code>
          <CopyButton text={command} what={command} />
        </p>
      ))}
    </div>
  );
}
