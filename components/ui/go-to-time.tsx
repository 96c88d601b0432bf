'use client';
import { type FormEvent, useId, useState } from 'react';
import { useTimeZone } from '../data/use-time-zone';
import { type Moment, parseMoment } from '../format/parse-moment';

interface GoToTimeProps {
  /** `14:03` without a day means the latest 14:03 up to this time, milliseconds. */
  before: () => number;
  onGo: (moment: Moment) => void;
  /** Why the last moment cannot be shown; empty: it is shown. */
  note?: string;
  className?: string;
}

/** Below the field and over the page, so that nothing moves. */
const PROBLEM =
  'absolute top-full left-0 z-20 mt-[4px] w-max max-w-[min(280px,80vw)] border border-hair2 bg-raised px-[8px] py-[4px] text-small whitespace-normal';

/** A field for a moment, as in “14:03” or “yesterday 14:03”. */
export function GoToTime({ before, onGo, note = '', className = '' }: GoToTimeProps) {
  const zone = useTimeZone();
  const [text, setText] = useState('');
  const [isWrong, setIsWrong] = useState(false);
  const id = useId();
  const problem = isWrong ? 'For example 14:03 or 3 Nov 14:03' : note;

  function go(event: FormEvent): void {
    event.preventDefault();
    const moment = parseMoment(text, zone, before());
    setIsWrong(moment === null && text.trim() !== '');
    if (moment === null) return;
    setText('');
    onGo(moment);
  }

  return (
    <form className={`relative inline-flex shrink-0 items-center gap-[8px] ${className}`} onSubmit={go}>
      <input
        type="text"
        aria-label="Go to a time"
        aria-invalid={isWrong}
        aria-describedby={`${id}-hint`}
        placeholder="go to 14:03"
        title="A time such as 14:03, yesterday 14:03, 3 Nov 14:03 or 10 min ago"
        autoComplete="off"
        spellCheck={false}
        maxLength={40}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setIsWrong(false);
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.preventDefault();
          if (text === '') event.currentTarget.blur();
          setText('');
          setIsWrong(false);
        }}
        className="num h-[28px] w-[116px] border-b border-hair2 bg-transparent outline-none placeholder:font-sans placeholder:tracking-normal placeholder:[word-spacing:normal] focus:border-ink"
      />
      <span id={`${id}-hint`} role="status" className={problem === '' ? 'sr-only' : PROBLEM}>
        {problem}
      </span>
    </form>
  );
}
