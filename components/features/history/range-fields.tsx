'use client';
import { useId, useState } from 'react';
import { useTimeZone } from '../../data/use-time-zone';
import { MINUTE_PATTERN, minuteText, readMinute } from '../../format/local-text';
import { SHORTEST_RANGE_MS, type ShownRange } from './history-range';

interface RangeFieldsProps {
  range: ShownRange;
  apply: (from: Date, to: Date) => void;
}

/** The fields of a custom range, in the viewer's time zone. */
export function RangeFields({ range, apply }: RangeFieldsProps) {
  const zone = useTimeZone();
  const [from, setFrom] = useState(() => minuteText(range.from, zone));
  const [to, setTo] = useState(() => minuteText(range.to, zone));
  const [fault, setFault] = useState<string | null>(null);
  const faultId = useId();
  const submit = () => {
    const [begin, end] = [readMinute(from, zone), readMinute(to, zone)];
    if (begin === null || end === null) {
      setFault(`Enter both times as ${MINUTE_PATTERN}.`);
    } else if (end - begin < SHORTEST_RANGE_MS) {
      setFault('The end must be at least 5 minutes after the start.');
    } else {
      setFault(null);
      apply(new Date(begin), new Date(end));
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
        type="text"
        inputMode="numeric"
        autoComplete="off"
        placeholder={MINUTE_PATTERN}
        title={`Local time, ${MINUTE_PATTERN}`}
        size={16}
        maxLength={16}
        value={value}
        {...(faultId === null ? {} : { 'aria-invalid': true, 'aria-describedby': faultId })}
        className="num h-[24px] border-b border-hair2 bg-transparent text-ink focus-visible:border-ink"
        onChange={(event) => set(event.target.value)}
      />
    </label>
  );
}
