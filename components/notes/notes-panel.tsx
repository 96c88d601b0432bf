'use client';
import { Suspense } from 'react';
import type { Note } from '@/core/api/notes';
import type { SeriesPoint } from '@/core/api/series';
import type { Session } from '@/core/api/session';
import { useTimeZone } from '../data/use-time-zone';
import { formatClock, formatInstant } from '../format/format-time';
import { formatExact } from '../format/format-tokens';
import { Ago } from '../ui/ago';
import { Button } from '../ui/button';
import { lazyPart } from '../ui/lazy-part';
import { PanelBoundary } from '../ui/panel-boundary';
import { useShortcut } from '../ui/use-shortcut';
import type { Notes } from './use-notes';

const NoteDialog = lazyPart(() => import('./note-dialog'));

interface NotesPanelProps {
  session: Session;
  notes: Notes;
  /** Points of the main chain. Without a crosshair a note is placed at the last point. */
  points: readonly SeriesPoint[];
  /** False: the session was deleted. */
  writable: boolean;
}

export function NotesPanel({ session, notes, points, writable }: NotesPanelProps) {
  const zone = useTimeZone();
  const last = points.at(-1) ?? null;
  const canWrite = writable && notes.writable && last !== null;
  const begin = () => {
    if (!canWrite) return;
    notes.open(notes.moment() ?? last);
    notes.pick(null);
  };
  useShortcut('n', begin);
  if (!canWrite && notes.list.length === 0) return null;
  return (
    <section aria-labelledby="notes-title" className="border-t border-hair">
      <div className="flex min-h-[32px] flex-wrap items-center gap-x-[14px] gap-y-[2px] py-[3px]">
        <h2 id="notes-title" className="font-medium">
          Notes <span className="num font-normal text-ink2">{notes.list.length || ''}</span>
        </h2>
        {notes.list.length === 0 ? (
          <p className="text-ink2 max-md:hidden">No notes yet. Click the trace or press n to add one.</p>
        ) : null}
        <p role="status" className="text-ink2">
          {notes.failed ? 'Notes could not be refreshed. Retrying automatically.' : ''}
        </p>
        {canWrite ? <NoteButton className="ml-auto" aria-keyshortcuts="n" onClick={begin} /> : null}
      </div>
      {notes.list.length === 0 ? null : (
        <ul
          aria-label="Notes"
          className="max-h-[280px] overflow-y-auto border-t border-hair 2xl:columns-2 2xl:gap-[48px]"
        >
          {notes.list.map((note) => (
            <Row key={note.id} note={note} notes={notes} zone={zone} writable={canWrite} />
          ))}
        </ul>
      )}
      {notes.opened === null ? null : (
        <PanelBoundary name="The note">
          <Suspense>
            <NoteDialog
              key={'text' in notes.opened ? notes.opened.id : 'new'}
              session={session}
              notes={notes}
              opened={notes.opened}
              zone={zone}
            />
          </Suspense>
        </PanelBoundary>
      )}
    </section>
  );
}

export function NoteButton(props: React.ComponentProps<'button'>) {
  return (
    <Button {...props}>
      Note this moment
      <span className="key max-md:hidden" aria-hidden="true">
        n
      </span>
    </Button>
  );
}

type RowProps = Pick<NotesPanelProps, 'notes' | 'writable'> & { note: Note; zone: string };

const scrollToRow = (row: HTMLLIElement | null) => row?.scrollIntoView({ block: 'nearest' });

function Row({ note, notes, zone, writable }: RowProps) {
  const isSelected = note.id === notes.selectedId;
  const clock = formatClock(note.at, zone);
  return (
    <li
      ref={isSelected ? scrollToRow : null}
      aria-current={isSelected}
      className={`group grid break-inside-avoid grid-cols-[104px_minmax(0,1fr)_auto] gap-x-[14px] border-b border-hair py-[5px] max-sm:grid-cols-[minmax(0,1fr)_auto] ${isSelected ? 'bg-sunken pl-[8px] [box-shadow:inset_2px_0_var(--ink)]' : ''}`}
    >
      <p className="text-ink2 max-sm:col-span-2" title={formatInstant(note.at, zone)}>
        <a
          href={`/sessions/${note.sessionId}?note=${note.id}`}
          className="num link"
          aria-label={`Link to the note at ${clock}`}
          onClick={(event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey) return;
            event.preventDefault();
            notes.select(note.id);
          }}
        >
          {clock}
        </a>
        {note.turn === null ? null : (
          <span className="ml-[10px] text-small">
            turn <span className="num">{formatExact(note.turn)}</span>
          </span>
        )}
      </p>
      <p className="max-w-[86ch] whitespace-pre-wrap [overflow-wrap:anywhere]">{note.text}</p>
      <p className="flex items-start gap-[10px] text-small leading-[20px] text-ink2">
        <span className="max-w-[180px] truncate" title={editedWords(note, zone)}>
          {note.author ?? 'no name'}, <Ago at={note.createdAt} />
          {note.editedAt === null ? null : ' (edited)'}
        </span>
        {writable ? (
          <button
            type="button"
            className="link"
            aria-label={`Edit the note at ${clock}`}
            onClick={() => notes.open(note)}
          >
            Edit
          </button>
        ) : null}
      </p>
    </li>
  );
}

function editedWords({ author, createdAt, editedAt, editedBy }: Note, zone: string): string {
  const by = (name: string | null, at: string) =>
    `${name ?? 'an unnamed author'}, ${formatInstant(at, zone)}`;
  return `Written by ${by(author, createdAt)}${editedAt === null ? '' : `; edited by ${by(editedBy, editedAt)}`}`;
}
