import type { HistoryFigures } from '@/core/api/history';
import { hatchPath } from '../../charts/torn-edge';
import { formatPercent } from '../../format/format-percent';
import { formatExact, formatTokens } from '../../format/format-tokens';
import type { HistorySheet } from './prepare-history';

interface PanelNotesProps {
  sheet: HistorySheet;
  /** Of the whole range, or of the slot under the crosshair. */
  figures: HistoryFigures;
}

/** The sign: how it is drawn in the panel. */
type Line = readonly [value: string, word: string, sign?: Sign];
type Sign = 'tear' | 'restart' | 'thrash' | 'dark' | 'pale';

interface Notes {
  name: keyof HistorySheet['tops'];
  title: string;
  note?: string;
  /** At the top of the panel, and at its bottom. */
  above: Line[];
  below: Line[];
}

function notesOf(figures: HistoryFigures): Notes[] {
  const { peak, cacheShare } = figures;
  const unknown = 'not known';
  return [
    {
      name: 'peak',
      title: 'peak pressure',
      note: 'highest of any session',
      above: [[peak === null ? unknown : formatPercent(peak), '']],
      below: [],
    },
    {
      name: 'boundaries',
      title: 'boundaries',
      above: [
        [formatExact(figures.compactions), figures.compactions === 1 ? 'compaction' : 'compactions', 'tear'],
      ],
      below: [
        ...(figures.thrashes > 0 ? ([[formatExact(figures.thrashes), 'thrash', 'thrash']] as const) : []),
        [formatExact(figures.restarts), figures.restarts === 1 ? 'restart' : 'restarts', 'restart'],
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
      below: [],
    },
    {
      name: 'share',
      title: 'cache share',
      note: 'of what was sent',
      above: [[cacheShare === null ? unknown : formatPercent(cacheShare), '']],
      below: [],
    },
  ];
}

/** What each panel shows, with its figures: beside it, or over it where there is no room. */
export function PanelNotes({ sheet, figures }: PanelNotesProps) {
  const { narrow, tops } = sheet;
  return notesOf(figures).map(({ name, title, note, above, below }) => {
    const { frame } = sheet[name];
    if (narrow) {
      return (
        <p
          key={name}
          className="pointer-events-none absolute flex items-baseline gap-x-[10px] overflow-hidden whitespace-nowrap text-small"
          style={{ left: 0, right: 18, top: tops[name] + 4 }}
        >
          <span>{title}</span>
          {[...above.slice(0, 1), ...below].map((line) => (
            <Figure key={line[1]} line={line} />
          ))}
        </p>
      );
    }
    return (
      <div
        key={name}
        className="pointer-events-none absolute flex flex-col text-small leading-[14px]"
        style={{
          left: frame.right + 16,
          width: 150,
          top: tops[name] + frame.top - 2,
          height: frame.bottom - frame.top + 4,
        }}
      >
        <p>{title}</p>
        {above.map((line) => (
          <p key={line[1]}>
            <Figure line={line} />
          </p>
        ))}
        {note ? <p className="text-ink2">{note}</p> : null}
        <div className="mt-auto">
          {below.map((line) => (
            <p key={line[1]}>
              <Figure line={line} />
            </p>
          ))}
        </div>
      </div>
    );
  });
}

function Figure({ line: [value, word, sign] }: { line: Line }) {
  return (
    <span className="inline-flex items-center">
      {sign === undefined ? null : <SignMark sign={sign} />}
      <span className="num strong">{value}</span>
      {word === '' ? null : <span className="ml-[4px] text-ink2">{word}</span>}
    </span>
  );
}

function SignMark({ sign }: { sign: Sign }) {
  return (
    <svg
      width="8"
      height="10"
      viewBox="0 0 8 10"
      fill="none"
      className="mr-[5px] shrink-0"
      aria-hidden="true"
    >
      {sign === 'tear' ? (
        <>
          <path d="M.5 10V.5h7V10" stroke="var(--ink)" strokeWidth="0.75" />
          <path
            d={hatchPath({ x: 0.5, y: 0.5, width: 7, height: 9.5, spacing: 3 })}
            stroke="var(--ink)"
            strokeWidth="0.9"
          />
        </>
      ) : sign === 'restart' ? (
        <path d="M2.25 0v10M5.75 0v10" stroke="var(--ink)" />
      ) : sign === 'thrash' ? (
        <path d="M1 2.5h6l-3 5z" fill="var(--ink)" />
      ) : (
        <rect
          y="1.5"
          width="7"
          height="7"
          fill={sign === 'dark' ? 'var(--ink)' : 'var(--ink3)'}
          fillOpacity={sign === 'dark' ? 0.75 : 0.55}
        />
      )}
    </svg>
  );
}
