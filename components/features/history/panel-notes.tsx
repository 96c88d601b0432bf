import type { HistoryFigures } from '@/core/api/history';
import { hatchPath } from '../../charts/torn-edge';
import { formatPercent } from '../../format/format-percent';
import { formatExact, formatTokens } from '../../format/format-tokens';
import type { HistorySheet, PanelName } from './prepare-history';

/** `sign`: how the panel draws the figure. */
type Line = readonly [value: string, word: string, sign?: keyof typeof SIGNS];

interface Notes {
  name: PanelName;
  title: string;
  note?: string;
  above: readonly Line[];
  below?: readonly Line[];
}

const percent = (share: number | null): Line => [share === null ? 'unknown' : formatPercent(share), ''];

function notesOf(figures: HistoryFigures): Notes[] {
  const { compactions, restarts, thrashes } = figures;
  return [
    { name: 'peak', title: 'peak pressure', note: 'highest of any session', above: [percent(figures.peak)] },
    {
      name: 'boundaries',
      title: 'boundaries',
      above: [[formatExact(compactions), compactions === 1 ? 'compaction' : 'compactions', 'tear']],
      below: [
        ...(thrashes > 0 ? [[formatExact(thrashes), 'thrash', 'thrash'] as const] : []),
        [formatExact(restarts), restarts === 1 ? 'restart' : 'restarts', 'restart'],
      ],
    },
    {
      name: 'tokens',
      title: 'tokens',
      above: [
        [formatTokens(figures.input), 'input', 'dark'],
        [formatTokens(figures.cacheCreation), 'cache writes', 'pale'],
      ],
      below: [[formatTokens(figures.output), 'output', 'dark']],
    },
    {
      name: 'reads',
      title: 'cache reads',
      note: 'telemetry only, not in pressure',
      above: [[formatTokens(figures.cacheRead), '']],
    },
    { name: 'share', title: 'cache share', note: 'of the input', above: [percent(figures.cacheShare)] },
  ];
}

interface PanelNotesProps {
  sheet: HistorySheet;
  figures: HistoryFigures;
}

/** Title and figures of each panel, beside the panel, or on a phone in one line above the panel. */
export function PanelNotes({ sheet: { narrow, panels }, figures }: PanelNotesProps) {
  return notesOf(figures).map(({ name, title, note, above, below = [] }) => {
    const { frame, top } = panels[name];
    const look = narrow
      ? 'right-[18px] left-0 items-baseline gap-x-[10px] overflow-hidden whitespace-nowrap'
      : 'w-[150px] flex-col leading-[14px]';
    const place = { left: frame.right + 16, top: top + frame.top - 2, height: frame.bottom - frame.top + 4 };
    return (
      <div
        key={name}
        className={`pointer-events-none absolute flex text-small ${look}`}
        style={narrow ? { top: top + 4 } : place}
      >
        <p>{title}</p>
        <Figures lines={narrow ? above.slice(0, 1) : above} />
        {note && !narrow ? <p className="text-ink2">{note}</p> : null}
        <div className={narrow ? 'contents' : 'mt-auto'}>
          <Figures lines={below} />
        </div>
      </div>
    );
  });
}

const SIGNS = {
  tear: (
    <>
      <path d="M.5 10V.5h7V10" stroke="var(--ink)" strokeWidth="0.75" />
      <path
        d={hatchPath({ x: 0.5, y: 0.5, width: 7, height: 9.5, spacing: 3 })}
        stroke="var(--ink)"
        strokeWidth="0.9"
      />
    </>
  ),
  restart: <path d="M2.25 0v10M5.75 0v10" stroke="var(--ink)" />,
  thrash: <path d="M1 2.5h6l-3 5z" fill="var(--ink)" />,
  dark: <rect y="1.5" width="7" height="7" fill="var(--ink)" fillOpacity={0.75} />,
  pale: <rect y="1.5" width="7" height="7" fill="var(--ink3)" fillOpacity={0.55} />,
};

function Figures({ lines }: { lines: readonly Line[] }) {
  return lines.map(([value, word, sign]) => (
    <p key={word}>
      <span className="inline-flex items-center">
        {sign === undefined ? null : (
          <svg width="8" height="10" fill="none" className="mr-[5px] shrink-0" aria-hidden="true">
            {SIGNS[sign]}
          </svg>
        )}
        <span className="num strong">{value}</span>
        {word === '' ? null : <span className="ml-[4px] text-ink2">{word}</span>}
      </span>
    </p>
  ));
}
