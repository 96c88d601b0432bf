'use client';
import { Download, Printer } from 'lucide-react';
import { useState } from 'react';
import type { Note } from '@/core/api/notes';
import { useLive } from '../../live/live-provider';
import { useTimeZone } from '../../live/use-time-zone';
import type { SessionUrl } from '../session-url';
import type { SessionData } from '../use-session-data';
import type { SheetFormat } from './save-sheet';
import { sheetInput } from './sheet-input';

const FORMATS: ReadonlyArray<{ format: SheetFormat; name: string }> = [
  { format: 'svg', name: 'SVG' },
  { format: 'png', name: 'PNG' },
];

interface SheetExportProps {
  data: SessionData;
  url: SessionUrl;
  notes: readonly Note[];
}

/** Takes the sheet away: as a drawing, as a picture, on paper. What draws it is read when it is asked for. */
export function SheetExport({ data, url, notes }: SheetExportProps) {
  const { clock } = useLive();
  const zone = useTimeZone();
  const [problem, setProblem] = useState('');
  const save = (format: SheetFormat) => {
    setProblem('');
    import('./save-sheet')
      .then(({ saveSheet }) => saveSheet(sheetInput(data, url, clock.now(), zone, notes), format))
      .catch((error: unknown) => {
        setProblem(`The sheet could not be saved: ${error instanceof Error ? error.message : String(error)}`);
      });
  };
  return (
    <span className="flex flex-wrap items-center gap-x-[6px] gap-y-[6px]">
      {FORMATS.map(({ format, name }) => (
        <button
          key={format}
          type="button"
          className="button"
          aria-label={`Save the sheet as ${name}`}
          onClick={() => save(format)}
        >
          <Download size={12} strokeWidth={1.5} aria-hidden="true" />
          {name}
        </button>
      ))}
      <button type="button" className="button" aria-label="Print this page" onClick={() => window.print()}>
        <Printer size={12} strokeWidth={1.5} aria-hidden="true" />
        Print
      </button>
      <span role="status" className={problem === '' ? 'sr-only' : ''}>
        {problem}
      </span>
    </span>
  );
}
