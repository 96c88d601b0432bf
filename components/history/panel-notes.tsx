import type { HistoryFigures } from '@/core/api/history';
import { formatPercent } from '../format/format-percent';
import { formatExact, formatTokens } from '../format/format-tokens';
import type { HistorySheet } from './prepare-history';

interface PanelNotesProps {
  sheet: HistorySheet;
  /** Of the whole range, or of the slot under the crosshair. */
  figures: HistoryFigures;
}

type Line = readonly [value: string, word: string];

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
      above: [],
      below: [[peak === null ? unknown : formatPercent(peak), '']],
    },
    {
      name: 'boundaries',
      title: 'boundaries',
      above: [[formatExact(figures.compactions), figures.compactions === 1 ? 'compaction' : 'compactions']],
      below: [[formatExact(figures.restarts), figures.restarts === 1 ? 'restart' : 'restarts']],
    },
    {
      name: 'tokens',
      title: 'tokens',
      above: [
        [formatTokens(figures.input), 'input'],
        [formatTokens(figures.cacheCreation), 'cache writes'],
      ],
      below: [[formatTokens(figures.output), 'output']],
    },
    {
      name: 'reads',
      title: 'cache reads',
      note: 'telemetry only, not in pressure',
      above: [],
      below: [[formatTokens(figures.cacheRead), '']],
    },
    {
      name: 'share',
      title: 'cache share',
      note: 'of what was sent',
      above: [],
      below: [[cacheShare === null ? unknown : formatPercent(cacheShare), '']],
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
          {[...above, ...below].map((line) => (
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
        {note ? <p className="text-ink2">{note}</p> : null}
        {above.map((line) => (
          <p key={line[1]}>
            <Figure line={line} />
          </p>
        ))}
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

function Figure({ line: [value, word] }: { line: Line }) {
  return (
    <span>
      <span className="num strong">{value}</span>
      {word === '' ? null : <span className="ml-[4px] text-ink2">{word}</span>}
    </span>
  );
}
