import type { ArchiveFailure, Session, Trouble } from '@/core/api/session';
import { Ago } from '../../ui/ago';
import { LostArchiveGlyph, TroubleGlyph, troubleWord } from '../../ui/glyphs';

interface TroubleMarkProps {
  trouble: Trouble;
  /** Id of the sentence, for aria-describedby. */
  id: string;
  /** Shows the word beside the glyph. */
  worded?: boolean;
}

/** The mark of a session in trouble, with its reason on hover or focus. */
export function TroubleMark({ trouble, id, worded = false }: TroubleMarkProps) {
  const word = troubleWord(trouble.kind);
  return (
    <span className="trouble">
      <TroubleGlyph kind={trouble.kind} />
      {worded ? (
        <span className="trouble-word" aria-hidden="true">
          {word}
        </span>
      ) : null}
      <span id={id} className="sr-only">
        {word}: {trouble.sentence}
      </span>
      <span className="trouble-note" aria-hidden="true">
        <b>{word}</b> {trouble.sentence}
      </span>
    </span>
  );
}

interface ArchiveMarkProps {
  session: Pick<Session, 'id'>;
  failure: ArchiveFailure;
  /** Id of the sentence, for aria-describedby. */
  id: string;
  /** In a list, where keys reach it through its row. */
  inRow?: boolean;
}

/** The mark of a failed archive: a link to the transcripts, with its reason on hover or focus. */
export function ArchiveMark({ session, failure, id, inRow = false }: ArchiveMarkProps) {
  const reason = failure.reason ?? 'no reason given';
  return (
    <span className="trouble" data-state="critical">
      <a
        href={`/transcripts?session=${session.id}&state=failed`}
        className="archive-mark"
        aria-describedby={id}
        {...(inRow ? { tabIndex: -1 } : {})}
      >
        <LostArchiveGlyph />
        <span>archive failed</span>
      </a>
      <span id={id} className="sr-only">
        {reason}
      </span>
      <span className="trouble-note" aria-hidden="true">
        <b>Archive failed</b> <Ago at={failure.at} inRow={inRow} /> ago: {reason}. The transcript before the
        compaction is lost.
      </span>
    </span>
  );
}

/** `, 6 m ago`: when the limit was passed, where the last event reported it. */
export function PassedAgo({ session: { lastEvent, nextBoundary } }: { session: Session }) {
  if (!nextBoundary?.passed || lastEvent?.kind !== 'redlined') return null;
  return (
    <>
      , <Ago at={lastEvent.at} className="of-text" inRow /> ago
    </>
  );
}
