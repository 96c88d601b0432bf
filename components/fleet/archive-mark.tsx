import type { ArchiveFailure, Session } from '@/core/api/session';
import { Ago } from '../ui/ago';
import { LostArchiveGlyph } from '../ui/lost-archive-glyph';

/** Where the failed archives of a session stand with their reasons. */
export function failedArchivesPath({ id }: Pick<Session, 'id'>): string {
  return `/transcripts?session=${id}&state=failed`;
}

interface ArchiveMarkProps {
  session: Pick<Session, 'id'>;
  failure: ArchiveFailure;
  /** Of the sentence, for what it describes. */
  id: string;
  /** In a list: reached by pointer, and by key through its row. */
  inRow?: boolean;
}

/**
 * A transcript of the session was not kept: colour, sign and words, and the way to its row among the transcripts. The
 * reason stands below it while the pointer is on the mark or the focus beside it.
 */
export function ArchiveMark({ session, failure, id, inRow = false }: ArchiveMarkProps) {
  return (
    <span className="trouble" data-state="critical">
      <a
        href={failedArchivesPath(session)}
        className="archive-mark"
        aria-describedby={id}
        {...(inRow ? { tabIndex: -1 } : {})}
      >
        <LostArchiveGlyph />
        <span>archive failed</span>
      </a>
      <span id={id} className="sr-only">
        {failure.reason ?? 'The runner gave no reason.'}
      </span>
      <span className="trouble-note" aria-hidden="true">
        <b>Archive failed</b> <Ago at={failure.at} inRow={inRow} /> ago:{' '}
        {failure.reason ?? 'the runner gave no reason'}. The transcript before the compaction is not kept.
      </span>
    </span>
  );
}
