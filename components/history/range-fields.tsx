'use client';
import { useId, useState } from 'react';
import { SHORTEST_RANGE_MS, type ShownRange } from './history-range';

interface RangeFieldsProps {
  range: ShownRange;
  apply: (from: Date, to: Date) => void;
}

/** A range from here to there, by the viewer's clock. */
export function RangeFields({ range, apply }: RangeFieldsProps) {
  const [from, setFrom] = useState(() => localText(range.from));
  const [to, setTo] = useState(() => localText(range.to));
  const [fault, setFault] = useState<string | null>(null);
  const faultId = useId();
  const submit = () => {
    // Without a zone: the browser reads it in the viewer's own.
    const [begin, end] = [new Date(from), new Date(to)];
    if (Number.isNaN(begin.getTime()) || Number.isNaN(end.getTime())) {
      setFault('Both times are needed.');
    } else if (end.getTime() - begin.getTime() < SHORTEST_RANGE_MS) {
      setFault('The end must lie at least 5 minutes after the beginning.');
    } else {
      setFault(null);
      apply(begin, end);
    }
  };
  return (
    <form
      id="range-fields"
      className="flex basis-full flex-wrap items-center gap-x-[10px] gap-y-[6px] py-[4px]"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Field label="from" value={from} set={setFrom} faultId={fault === null ? null : faultId} />
      <Field label="to" value={to} set={setTo} faultId={fault === null ? null : faultId} />
      <button type="submit" className="button">
        Show
      </button>
      <p id={faultId} role="alert" className="text-small">
        {fault}
      </p>
    </form>
  );
}

interface FieldProps {
  label: string;
  value: string;
  set: (value: string) => void;
  faultId: string | null;
}

function Field({ label, value, set, faultId }: FieldProps) {
  return (
    <label className="flex items-center gap-[6px] text-ink2">
      {label}
      <input
        type="datetime-local"
        value={value}
        {...(faultId === null ? {} : { 'aria-invalid': true, 'aria-describedby': faultId })}
        className="num h-[24px] border-b border-hair2 bg-transparent text-ink focus-visible:border-ink"
        onChange={(event) => set(event.target.value)}
      />
    </label>
  );
}

/** `2026-10-20T14:05`, by the viewer's clock. */
function localText(at: number): string {
  const date = new Date(at);
  return new Date(at - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
