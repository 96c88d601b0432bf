'use client';
import { useMutation } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { NewNote, Note, NoteChange } from '@/core/api/notes';
import type { SeriesPoint } from '@/core/api/series';
import type { Session } from '@/core/api/session';
import { MOST_AUTHOR_CHARACTERS, MOST_NOTE_CHARACTERS } from '@/core/notes/limits';
import { ApiError, fetchJson } from '../data/fetch-json';
import { formatPercent } from '../format/format-percent';
import { formatClock, formatInstant } from '../format/format-time';
import { formatExact, formatTokens } from '../format/format-tokens';
import { changePreferences, usePreferences } from '../preferences/preferences-provider';
import { useAccountName } from '../preferences/viewer';
import { Dialog } from '../ui/dialog';
import { Field, Form } from '../ui/form-parts';
import { type Notes, notesPath } from './use-notes';

interface NoteDialogProps {
  session: Session;
  notes: Notes;
  opened: SeriesPoint | Note;
  zone: string;
}

/** Creates or edits a note. A text that someone else saved meanwhile is shown beside the viewer's text. */
export default function NoteDialog({ session, notes, opened, zone }: NoteDialogProps) {
  const { author } = usePreferences();
  const account = useAccountName();
  const begun = 'text' in opened ? opened : null;
  const [at, turn, size] =
    'text' in opened
      ? [opened.at, opened.turn, '']
      : [new Date(opened.t).toISOString(), opened.n, sizeWords(opened, session)];
  const [text, setText] = useState(begun?.text ?? '');
  /** The version on which the viewer's text is based. */
  const [base, setBase] = useState(begun);
  const [isDeleting, setIsDeleting] = useState(false);
  const id = useId();

  const now = notes.list.find((note) => note.id === base?.id) ?? null;
  const newer = now !== null && base !== null && now.version > base.version ? now : null;
  const isGone = base !== null && now === null;
  const path = notesPath(session.id);
  const close = () => notes.open(null);

  async function save(): Promise<void> {
    if (text.trim() === '') throw new Error('the note is empty');
    const written = { text, author };
    const create: NewNote = { at, ...(turn !== null && { turn }), ...written };
    const saved =
      base === null || isGone
        ? await fetchJson<Note>(path, { method: 'POST', body: create })
        : await fetchJson<Note>(`${path}/${base.id}`, {
            method: 'PATCH',
            body: { version: (newer ?? base).version, ...written } satisfies NoteChange,
          });
    notes.select(saved.id);
  }
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: (act: () => Promise<unknown>) => act(),
    onSuccess: close,
    onSettled: () => notes.refresh(),
  });
  // The list shows that the note was changed or deleted meanwhile.
  const isOutdated = base !== null && error instanceof ApiError && /^40[49]$/.test(String(error.status));

  return (
    <Dialog
      open
      onClose={close}
      unsaved={text.trim() === (base?.text ?? '').trim() || isPending ? null : 'Your text is not saved.'}
      title={`Note at ${formatClock(at, zone)}`}
      description={[formatInstant(at, zone), turn !== null && `turn ${formatExact(turn)}`, size]
        .filter(Boolean)
        .join(', ')}
    >
      <Form
        failure={error === null || isOutdated ? null : faultWords(error)}
        label={newer === null ? 'Save' : 'Save mine instead'}
        disabled={isPending}
        send={() => mutate(save)}
        more={
          base === null || isGone ? null : (
            <button
              type="button"
              className={isDeleting ? 'button' : 'link text-small'}
              disabled={isPending}
              onClick={() => {
                if (isDeleting) mutate(() => fetchJson(`${path}/${base.id}`, { method: 'DELETE' }));
                else setIsDeleting(true);
              }}
            >
              {isDeleting ? 'Delete permanently' : 'Delete'}
            </button>
          )
        }
      >
        {newer === null ? null : (
          <div role="status" className="border-l-2 border-ink py-[2px] pl-[12px]">
            <p className="text-ink2">
              {newer.editedBy ?? newer.author ?? 'Another person'} saved a newer version:
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
            ref={focusAtEnd}
            className="field h-auto w-full resize-y py-[6px]"
            rows={5}
            maxLength={MOST_NOTE_CHARACTERS}
            value={text}
            onChange={({ target }) => {
              setText(target.value);
              reset();
            }}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
                event.currentTarget.form?.requestSubmit();
            }}
          />
        </div>
        {account === null ? (
          <Field
            label="Your name, remembered in this browser"
            maxLength={MOST_AUTHOR_CHARACTERS}
            value={author}
            onValue={(name) => changePreferences({ author: name })}
          />
        ) : null}
      </Form>
    </Dialog>
  );
}

function focusAtEnd(field: HTMLTextAreaElement | null): void {
  field?.focus();
  field?.setSelectionRange(field.value.length, field.value.length);
}

/** `60 k (30 %)`, as the trace shows it; empty: unknown. */
function sizeWords({ used, limit }: SeriesPoint, session: Session): string {
  const whole = limit ?? session.limit;
  if (used === null) return '';
  return `${formatTokens(used)}${whole ? ` (${formatPercent(used / whole)})` : ''}`;
}

/** The server's reason as a sentence: `The note must not contain control characters.` */
function faultWords(error: Error): string {
  const field = error instanceof ApiError ? error.field : '';
  const words = field === '' ? error.message : `the ${field === 'author' ? 'name' : 'note'} ${error.message}`;
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
