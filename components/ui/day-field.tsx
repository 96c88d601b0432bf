import { useEffect, useState } from 'react';
import { DAY_PATTERN, dayText, readDay } from '../format/local-text';

interface DayFieldProps {
  label: string;
  /** Midnight of the day in UTC. */
  value: Date | null;
  onChange: (value: Date | null) => void;
}

/** A day field, year first. It reports only complete and empty values. */
export function DayField({ label, value, onChange }: DayFieldProps) {
  const known = value === null ? '' : dayText(value);
  const [text, setText] = useState(known);
  // A new value, for example from the URL, replaces the text.
  useEffect(() => setText(known), [known]);
  const isWrong = text.trim() !== '' && readDay(text) === null;
  return (
    <label className="flex items-center gap-[6px]">
      {label}
      <input
        type="text"
        inputMode="numeric"
        autoComplete="off"
        placeholder={DAY_PATTERN}
        title={`A day, ${DAY_PATTERN}`}
        size={10}
        maxLength={10}
        value={text}
        {...(isWrong && text.length >= DAY_PATTERN.length ? { 'aria-invalid': true } : {})}
        className="num h-[24px] w-[88px] border-b border-hair2 bg-transparent text-ink focus-visible:border-ink"
        onChange={(event) => {
          const typed = event.target.value;
          setText(typed);
          const day = readDay(typed);
          if (day !== null || typed.trim() === '') onChange(day);
        }}
        onBlur={() => setText(known)}
      />
    </label>
  );
}
