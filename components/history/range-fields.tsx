'use client';
import { useId, useState } from 'react';
import { instantOf, zoneOffsetMs } from '@/core/time/zone-offset';
import { useTimeZone } from '../live/use-time-zone';
import { SHORTEST_RANGE_MS, type ShownRange } from './history-range';

interface RangeFieldsProps {
  range: ShownRange;
  apply: (from: Date, to: Date) => void;
}

/** A range from here to there, by the viewer's clock. */
export function RangeFields({ range, apply }: RangeFieldsProps) {
  const zone = useTimeZone();
  const [from, setFrom] = useState(() => localText(range.from, zone));
  const [to, setTo] = useState(() => localText(range.to, zone));
  const [fault, setFault] = useState<string | null>(null);
  const faultId = useId();
  const submit = () => {
    const [begin, end] = [readLocal(from, zone), readLocal(to, zone)];
    if (begin === null || end === null) {
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

/** `2026-10-20T14:05`, by the viewer's clock, which need not be the browser's. */
function localText(at: number, zone: string): string {
  return new Date(at + zoneOffsetMs(at, zone)).toISOString().slice(0, 16);
}

/** Null: no time. */
function readLocal(text: string, zone: string): Date | null {
  const local = Date.parse(`${text}Z`);
  return Number.isNaN(local) ? null : new Date(instantOf(local, zone));
}
