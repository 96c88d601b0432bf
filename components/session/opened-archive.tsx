'use client';
import type { Session, SessionEvent } from '@/core/api/session';
import { archiveFacts } from './archive-facts';
import { word } from './describe-event';
import { Facts, Sentence } from './event-facts';
import type { Archive } from './select-event';

interface OpenedArchiveProps {
  event: SessionEvent;
  archive: Archive;
  session: Session;
  /** The compaction it was made for; null: none is known. */
  compaction: { event: SessionEvent; name: string } | null;
  choose: (id: string) => void;
}

const SENTENCES: Readonly<Record<Archive['state'], string | null>> = {
  stored: null,
  failed:
    'The transcript could not be copied: what a compaction threw away after it is kept by the client alone, if at all. An archive that fails never holds a compaction up.',
  skipped: 'Nothing was copied. An archive that is skipped never holds a compaction up.',
  delayed:
    'The server could not take it in at that time; the runner keeps its copy and comes again by itself. The session is not held up.',
  damaged:
    'It was stored, and some of its bytes were found to be others since. Nothing is shown as if it were whole; the same bytes heal it, whichever archive brings them.',
  healed: 'The bytes that were missing came again, and the whole was read back and hashed.',
};

/** A transcript that was copied before a compaction, or why it was not. */
export default function OpenedArchive({ event, archive, session, compaction, choose }: OpenedArchiveProps) {
  return (
    <>
      <Facts
        rows={[
          ['trigger', word(event.detail.trigger) || 'not stated'],
          [
            'compaction',
            compaction === null ? (
              'none is reported for it'
            ) : (
              <button
                key="compaction"
                type="button"
                className="link"
                onClick={() => choose(compaction.event.id)}
              >
                {compaction.name}
              </button>
            ),
          ],
          ...archiveFacts(archive, session, event),
        ]}
      />
      {SENTENCES[archive.state] === null ? null : <Sentence>{SENTENCES[archive.state]}</Sentence>}
    </>
  );
}
