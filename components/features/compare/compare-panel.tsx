'use client';
import { useQueryStates } from 'nuqs';
import { useMemo } from 'react';
import { type ConnectPlace, EmptyPage, Preview } from '../../connect/empty-page';
import { COMPARE_PARSERS, type CompareUrl } from '../../sessions/compare-url';
import { Choice } from '../../ui/choice';
import { PanelBoundary } from '../../ui/panel-boundary';
import { CompareChart } from './compare-chart';
import { FiguresTable } from './figures-table';
import { type NamedSide, sharedUnit } from './prepare-compare';
import type { Side } from './side-data';
import { ContextChoice, OpenSide, SideHead } from './side-head';
import { useSide } from './use-side';

interface ComparePanelProps {
  a: Side;
  b: Side;
}

interface ComparePageProps extends ComparePanelProps {
  /** Null: the server has turns. */
  place: ConnectPlace | null;
}

const keyOf = (side: Side) =>
  side.type === 'found' ? `${side.data.session.id} ${side.data.context ?? ''}` : '';

/** Two sessions, or two contexts, on one sheet. An empty side shows a chooser. */
export function ComparePanel({ a, b, place }: ComparePageProps) {
  if (place !== null && a.type === 'empty' && b.type === 'empty') return <NoSessions place={place} />;
  return (
    <div className="page-x wide-type pb-[48px]">
      <h1 className="pt-[18px] pb-[10px] text-title">Compare</h1>
      <Sides key={`${keyOf(a)} ${keyOf(b)}`} a={a} b={b} />
    </div>
  );
}

function NoSessions({ place }: { place: ConnectPlace }) {
  return (
    <div className="page-x wide-type">
      <EmptyPage
        title="No sessions to compare."
        note="Two sessions, or two contexts of a session, can be compared once their first turns arrive."
        place={place}
      >
        <Preview
          title="A comparison"
          rows={[
            ['traces', 'Both on one pressure axis, aligned at their first turns, by turns or by minutes.'],
            ['boundaries', 'One lane for each session: compactions, restarts and clears with their tokens.'],
            ['figures', 'Turns, tokens, cache share and boundaries side by side, with the difference.'],
          ]}
        />
      </EmptyPage>
    </div>
  );
}

function Sides(initial: ComparePanelProps) {
  const [url, set] = useQueryStates(COMPARE_PARSERS, { scroll: false });
  const go = (change: Partial<CompareUrl>) => void set(change, { history: 'push', shallow: false });
  const [a, b] = [useSide(initial.a), useSide(initial.b)];
  const sides = useMemo<NamedSide[]>(
    () => [
      ...(a.data === null ? [] : [{ name: 'a' as const, data: a.data }]),
      ...(b.data === null ? [] : [{ name: 'b' as const, data: b.data }]),
    ],
    [a.data, b.data],
  );
  return (
    <>
      {sides.length > 0 ? null : (
        <p className="max-w-[64ch] pb-[16px] text-ink2">
          Compare two sessions or two contexts on one pressure axis, by turns or by minutes since their first
          turn. The table lists their figures side by side.
        </p>
      )}
      <div className="grid gap-x-[48px] gap-y-[14px] border-t border-ink py-[12px] md:grid-cols-2">
        {[['a', a] as const, ['b', b] as const].map(([name, side]) =>
          side.data === null ? (
            <OpenSide key={name} name={name} side={initial[name]} go={go} />
          ) : (
            <div key={name} className="min-w-0">
              <SideHead name={name} side={side} data={side.data} go={go} />
              {sides.length === 1 ? <ContextChoice name={name} data={side.data} go={go} /> : null}
            </div>
          ),
        )}
      </div>
      {sides.length < 2 ? null : <CompareControls sides={sides} url={url} set={set} go={go} />}
      {sides.length === 0 ? null : (
        <>
          <PanelBoundary name="The sheet">
            <CompareChart sides={sides} by={url.by} unit={url.unit} />
          </PanelBoundary>
          <PanelBoundary name="The table of figures">
            <FiguresTable sides={sides} />
          </PanelBoundary>
        </>
      )}
    </>
  );
}

interface CompareControlsProps {
  sides: readonly NamedSide[];
  url: CompareUrl;
  set: (change: Partial<CompareUrl>, options: { history: 'replace'; shallow: true }) => void;
  go: (change: Partial<CompareUrl>) => void;
}

/** Alignment of the sides and unit of the axis. A change adds no history entry and sends no request. */
function CompareControls({ sides, url, set, go }: CompareControlsProps) {
  const look = (change: Partial<CompareUrl>) => set(change, { history: 'replace', shallow: true });
  return (
    <div className="flex flex-wrap items-center gap-x-[34px] gap-y-[2px] border-t border-ink py-[4px]">
      <Choice
        legend="Aligned by"
        name="by"
        value={url.by}
        options={[
          { value: 'turns', label: 'Turns' },
          { value: 'minutes', label: 'Minutes' },
        ]}
        onChange={(by) => look({ by })}
      />
      {sharedUnit(sides, 'percent') === 'percent' ? (
        <Choice
          legend="Axis"
          name="unit"
          value={url.unit}
          options={[
            { value: 'percent', label: 'Share of the limit' },
            { value: 'tokens', label: 'Tokens' },
          ]}
          onChange={(unit) => look({ unit })}
        />
      ) : (
        <p className="text-ink2">In tokens: one side has no known limit.</p>
      )}
      <button
        type="button"
        className="ml-auto text-ink2 hover:text-ink"
        onClick={() => go({ a: url.b, b: url.a })}
      >
        Swap A and B
      </button>
    </div>
  );
}
