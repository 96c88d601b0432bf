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
      {archive.state === 'stored' ? null : (
        <Sentence>
          {archive.state === 'failed'
            ? 'The transcript could not be copied: what a compaction threw away after it is kept by the client alone, if at all. An archive that fails never holds a compaction up.'
            : 'Nothing was copied. An archive that is skipped never holds a compaction up.'}
        </Sentence>
      )}
    </>
  );
}
