'use client';
import { type FormEvent, useId, useState } from 'react';
import type { Note } from '@/core/api/notes';
import type { Session } from '@/core/api/session';
import { MOST_AUTHOR_CHARACTERS, MOST_NOTE_CHARACTERS } from '@/core/notes/limits';
import { formatPercent } from '../format/format-percent';
import { formatClock, formatInstant } from '../format/format-time';
import { formatExact, formatTokens } from '../format/format-tokens';
import { changePreferences, usePreferences } from '../preferences/preferences-provider';
import '../ui/form.css';
import { Dialog } from '../ui/dialog';
import { addNote, deleteNote, editNote, type SentNote } from './send-note';
import type { Notes, OpenNote } from './use-notes';

interface NoteDialogProps {
  session: Session;
  notes: Notes;
  opened: OpenNote;
  zone: string;
}

/** Creates or edits a note. A text saved meanwhile is shown beside the own one, so neither is lost. */
export default function NoteDialog({ session, notes, opened, zone }: NoteDialogProps) {
  const { author } = usePreferences();
  const begun = opened.type === 'held' ? opened.note : null;
  const [text, setText] = useState(begun?.text ?? '');
  /** The version the own text is based on. */
  const [base, setBase] = useState(begun);
  const [notice, setNotice] = useState('');
  const [isSending, setIsSending] = useState(false);
  const [isDeleting, setIsDeleting] = useState(false);
  const id = useId();

  const now = base === null ? null : (notes.list.find((note) => note.id === base.id) ?? null);
  const [refused, setRefused] = useState<Note | null>(null);
  const newest = [now, refused].reduce<Note | null>(
    (found, note) => (note !== null && note.version > (found?.version ?? 0) ? note : found),
    null,
  );
  const newer = base !== null && newest !== null && newest.version > base.version ? newest : null;
  const isGone = base !== null && now === null;
  const at = begun === null && opened.type === 'new' ? new Date(opened.point.t).toISOString() : begun?.at;
  const close = () => notes.open(null);

  async function settle(sent: Promise<SentNote<Note>>): Promise<void> {
    setIsSending(true);
    setNotice('');
    const result = await sent;
    setIsSending(false);
    switch (result.type) {
      case 'done':
        notes.keep(result.value);
        notes.select(result.value.id);
        return close();
      case 'outdated':
        return setRefused(result.current);
      case 'gone':
        if (base === null) return setNotice('This session was deleted.');
        notes.drop(base.id);
        return;
      case 'refused':
        return setNotice(result.reason);
    }
  }

  function save(event: FormEvent): void {
    event.preventDefault();
    if (isSending || at === undefined) return;
    if (text.trim() === '') {
      setNotice('The note is empty.');
      return;
    }
    const body = { text, author };
    if (base === null || isGone) {
      const turn = begun === null && opened.type === 'new' ? opened.point.n : (begun?.turn ?? undefined);
      void settle(addNote(session.id, { at, ...(turn === undefined ? {} : { turn }), ...body }));
    } else void settle(editNote(base, { ...body, version: (newer ?? base).version }));
  }

  async function remove(): Promise<void> {
    if (base === null || isSending) return;
    setIsSending(true);
    const result = await deleteNote(base);
    setIsSending(false);
    if (result.type === 'refused') return setNotice(result.reason);
    notes.drop(base.id);
    close();
  }

  if (at === undefined) return null;
  return (
    <Dialog
      open
      onClose={close}
      unsaved={text.trim() === (base?.text ?? '').trim() || isSending ? null : 'Your text is not saved.'}
      title={begun === null ? `Note at ${formatClock(at, zone)}` : `The note at ${formatClock(at, zone)}`}
      description={describe(opened, session, zone)}
    >
      <form className="form" noValidate onSubmit={save}>
        <p role="alert" className={notice === '' ? 'sr-only' : 'notice'}>
          {notice}
        </p>
        {newer === null || isGone ? null : (
          <div role="status" className="border-l-2 border-ink py-[2px] pl-[12px]">
            <p className="text-ink2">
              {newer.editedBy ?? newer.author ?? 'Another person'} saved another text meanwhile:
            </p>
            <p className="my-[4px] max-h-[120px] overflow-y-auto whitespace-pre-wrap [overflow-wrap:anywhere]">
              {newer.text}
            </p>
            <button
              type="button"
              className="link text-small"
              onClick={() => {
                setText(newer.text);
                setBase(newer);
              }}
            >
              Use this text
            </button>
          </div>
        )}
        {isGone ? (
          <p role="status" className="notice">
            This note was deleted meanwhile. Saving creates it again.
          </p>
        ) : null}
        <div>
          <label htmlFor={`${id}-text`}>Note</label>
          <textarea
            id={`${id}-text`}
            // The dialog is opened to write.
            ref={focusAtEnd}
            className="field h-auto w-full resize-y py-[6px]"
            rows={5}
            maxLength={MOST_NOTE_CHARACTERS}
            value={text}
            onChange={({ target }) => {
              setText(target.value);
              setNotice('');
            }}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) save(event);
            }}
          />
          {text.length > MOST_NOTE_CHARACTERS - 200 ? (
            <p className="num text-small text-ink2">
              {formatExact(MOST_NOTE_CHARACTERS - text.length)} <span className="font-sans">left</span>
            </p>
          ) : null}
        </div>
        <div>
          <label htmlFor={`${id}-author`}>Your name, remembered in this browser</label>
          <input
            id={`${id}-author`}
            className="field w-full"
            maxLength={MOST_AUTHOR_CHARACTERS}
            autoComplete="off"
            value={author}
            onChange={({ target }) => changePreferences({ author: target.value })}
          />
        </div>
        <div className="actions">
          {begun === null || isGone ? null : isDeleting ? (
            <span className="mr-auto flex items-center gap-[8px]">
              <button type="button" className="button" disabled={isSending} onClick={() => void remove()}>
                Delete permanently
              </button>
              <button type="button" className="link text-small" onClick={() => setIsDeleting(false)}>
                Keep
              </button>
            </span>
          ) : (
            <button type="button" className="link mr-auto text-small" onClick={() => setIsDeleting(true)}>
              Delete
            </button>
          )}
          <button type="submit" className="button primary" disabled={isSending}>
            {newer !== null && !isGone ? 'Save mine instead' : 'Save'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function focusAtEnd(field: HTMLTextAreaElement | null): void {
  if (field === null || field.dataset.focused !== undefined) return;
  field.dataset.focused = '';
  field.focus();
  field.setSelectionRange(field.value.length, field.value.length);
}

/** Which moment it is, in the trace's own words. */
function describe(opened: OpenNote, session: Session, zone: string): string {
  if (opened.type === 'held') {
    const { at, turn } = opened.note;
    return [formatInstant(at, zone), ...(turn === null ? [] : [`turn ${formatExact(turn)}`])].join(', ');
  }
  const { t, n, used, limit } = opened.point;
  const whole = limit ?? session.limit;
  const share = used === null || whole === null || whole <= 0 ? '' : ` (${formatPercent(used / whole)})`;
  return [
    formatInstant(t, zone),
    `turn ${formatExact(n)}`,
    ...(used === null ? [] : [`${formatTokens(used)}${share}`]),
  ].join(', ');
}
