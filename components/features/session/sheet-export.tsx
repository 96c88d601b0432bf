'use client';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { useLive } from '../../data/live-provider';
import { useSessionPage } from './session-page';

/** Marks the box on the page that holds the drawings of the barogram. */
export const SHEET_DRAWING = 'sheet-drawing';

export function SheetExport() {
  const { data, session, url, zone } = useSessionPage();
  const { clock } = useLive();
  const [problem, setProblem] = useState('');
  const save = async (format: 'svg' | 'png') => {
    setProblem('');
    try {
      const { saveSheet, sheetWords } = await import('./save-sheet');
      const box = document.getElementById(SHEET_DRAWING);
      if (box === null) throw new Error('it is not drawn yet');
      const words = sheetWords({
        session,
        points: data.points,
        url,
        now: clock.now(),
        zone,
      });
      await saveSheet(box, words, format);
    } catch (error) {
      setProblem(`The sheet could not be saved: ${error instanceof Error ? error.message : String(error)}.`);
    }
  };
  return (
    <span className="flex flex-wrap items-center gap-x-[6px] gap-y-[6px]">
      {(['svg', 'png'] as const).map((format) => (
        <button
          key={format}
          type="button"
          className="button"
          aria-label={`Save the sheet as ${format.toUpperCase()}`}
          onClick={() => save(format)}
        >
          <Download size={12} strokeWidth={1.5} aria-hidden="true" />
          {format.toUpperCase()}
        </button>
      ))}
      <span role="status" className={problem === '' ? 'sr-only' : ''}>
        {problem}
      </span>
    </span>
  );
}
