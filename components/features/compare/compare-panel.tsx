'use client';
import { useQueryStates } from 'nuqs';
import { useMemo } from 'react';
import type { Context, Session } from '@/core/api/session';
import { COMPARE_PARSERS, type CompareUrl, type SideRef } from '../../sessions/compare-url';
import { PanelBoundary } from '../../ui/panel-boundary';
import { CompareChart } from './compare-chart';
import { CompareControls } from './compare-controls';
import { FiguresTable } from './figures-table';
import type { NamedSide } from './prepare-compare';
import { SessionChooser } from './session-chooser';
import type { Side, SideData, SideName } from './side-data';
import { contextWords, SideHead } from './side-head';
import { StrokeSample } from './stroke-sample';
import { useSide } from './use-side';

interface ComparePanelProps {
  a: Side;
  b: Side;
}

/** Two sessions, or two contexts, on one sheet. */
export function ComparePanel({ a, b }: ComparePanelProps) {
  const [url, set] = useQueryStates(COMPARE_PARSERS, { scroll: false });
  const go = (change: Partial<CompareUrl>) => void set(change, { history: 'push', shallow: false });
  /** View options leave no history entry and need no server read. */
  const look = (change: Partial<CompareUrl>) => void set(change, { history: 'replace', shallow: true });
  const page: Page = { url, go, look };
  return (
    <div className="page-x pb-[48px]">
      <h1 className="pt-[18px] pb-[10px] text-title">Compare</h1>
      {a.type === 'found' && b.type === 'found' ? (
        <Both key={`${keyOf(a.data)} ${keyOf(b.data)}`} a={a.data} b={b.data} page={page} />
      ) : a.type === 'found' || b.type === 'found' ? (
        <One
          key={a.type === 'found' ? keyOf(a.data) : b.type === 'found' ? keyOf(b.data) : ''}
          name={a.type === 'found' ? 'a' : 'b'}
          data={a.type === 'found' ? a.data : (b as Extract<Side, { type: 'found' }>).data}
          other={a.type === 'found' ? b : a}
          page={page}
        />
      ) : (
        <>
          <p className="max-w-[64ch] pb-[16px] text-ink2">
            Two sessions, or two contexts, on the same pressure axis: turn by turn or minute by minute from
            their first turn, with their figures side by side.
          </p>
          <div className="grid gap-x-[48px] gap-y-[24px] border-t border-ink pt-[14px] md:grid-cols-2">
            <OpenSide name="a" side={a} page={page} />
            <OpenSide name="b" side={b} page={page} />
          </div>
        </>
      )}
    </div>
  );
}

interface Page {
  url: CompareUrl;
  go: (change: Partial<CompareUrl>) => void;
  look: (change: Partial<CompareUrl>) => void;
}

const keyOf = ({ session, context }: SideData) => `${session.id} ${context ?? ''}`;
const refOf = (session: Session, context: number | null = null): SideRef => ({
  session: session.id,
  context,
});

function Both({ a: initialA, b: initialB, page }: { a: SideData; b: SideData; page: Page }) {
  const a = useSide(initialA);
  const b = useSide(initialB);
  const sides = useMemo<NamedSide[]>(
    () => [
      { name: 'a', data: a.data },
      { name: 'b', data: b.data },
    ],
    [a.data, b.data],
  );
  const { url, look } = page;
  return (
    <>
      <div className="grid gap-x-[48px] gap-y-[14px] border-t border-ink py-[12px] md:grid-cols-2">
        <Head name="a" side={a} page={page} />
        <Head name="b" side={b} page={page} />
      </div>
      <CompareControls sides={sides} url={url} look={look} swap={() => page.go({ a: url.b, b: url.a })} />
      <PanelBoundary name="The sheet">
        <CompareChart sides={sides} by={url.by} unit={url.unit} />
      </PanelBoundary>
      <PanelBoundary name="The table of figures">
        <FiguresTable sides={sides} />
      </PanelBoundary>
    </>
  );
}

function Head({ name, side, page }: { name: SideName; side: ReturnType<typeof useSide>; page: Page }) {
  const { session, contexts, context } = side.data;
  return (
    <SideHead
      name={name}
      session={session}
      contexts={contexts}
      context={context}
      chooseContext={(next) => page.go({ [name]: refOf(session, next) })}
      remove={() => page.go({ [name]: null })}
      gone={side.gone}
      part={side.part}
    />
  );
}

interface OneProps {
  name: SideName;
  data: SideData;
  other: Side;
  page: Page;
}

/** One side is chosen; asks for the other. */
function One({ name, data, other, page }: OneProps) {
  const side = useSide(data);
  const sides = useMemo<NamedSide[]>(() => [{ name, data: side.data }], [name, side.data]);
  const otherName = name === 'a' ? 'b' : 'a';
  const { session, contexts, context } = side.data;
  const others = contexts.filter(({ index }) => index !== context);
  return (
    <>
      <div className="grid gap-x-[48px] gap-y-[18px] border-t border-ink py-[12px] md:grid-cols-2">
        <div className={name === 'b' ? 'md:order-2' : ''}>
          <Head name={name} side={side} page={page} />
          {contexts.length < 2 ? null : (
            <div className="mt-[12px]">
              <p className="text-small text-ink2">
                {context === null ? 'Or compare its contexts' : `Compare context ${context} with`}
              </p>
              <ul className="mt-[3px] flex flex-wrap gap-[6px]">
                {(context === null ? contexts.slice(1) : others).slice(-MOST_CONTEXTS).map((one) => (
                  <li key={one.index}>
                    <button
                      type="button"
                      className="button"
                      onClick={() =>
                        page.go({
                          [name]: refOf(session, context ?? one.index - 1),
                          [otherName]: refOf(session, one.index),
                        })
                      }
                    >
                      {context === null ? `context ${one.index - 1} with ${one.index}` : contextWords(one)}
                    </button>
                  </li>
                ))}
              </ul>
            </div>
          )}
        </div>
        <OpenSide name={otherName} side={other} page={page} />
      </div>
      <PanelBoundary name="The sheet">
        <CompareChart sides={sides} by={page.url.by} unit={page.url.unit} />
      </PanelBoundary>
      <PanelBoundary name="The table of figures">
        <FiguresTable sides={sides} />
      </PanelBoundary>
    </>
  );
}

const MOST_CONTEXTS = 12;

/** A side without a session: why, and a chooser. */
function OpenSide({ name, side, page }: { name: SideName; side: Side; page: Page }) {
  const chosen: readonly Context[] = side.type === 'no-context' ? side.contexts : [];
  return (
    <div className="min-w-0">
      <div className="flex flex-wrap items-center gap-x-[12px] pb-[6px]">
        <StrokeSample name={name} />
        {side.type === 'missing' ? (
          <p role="status">
            {side.why === 'deleted' ? 'This session was deleted.' : 'No session with this id on this server.'}
          </p>
        ) : side.type === 'no-context' ? (
          <p role="status">
            {side.session.title ?? side.session.key} has no context {side.ref.context}.
          </p>
        ) : null}
      </div>
      {side.type === 'no-context' ? (
        <ul className="flex flex-wrap gap-[6px] pb-[10px]">
          {chosen.slice(-MOST_CONTEXTS).map((one) => (
            <li key={one.index}>
              <button
                type="button"
                className="button"
                onClick={() => page.go({ [name]: refOf(side.session, one.index) })}
              >
                {contextWords(one)}
              </button>
            </li>
          ))}
        </ul>
      ) : null}
      <SessionChooser
        label={name === 'a' ? 'Choose the first session' : 'Choose the session to compare with'}
        choose={(session) => page.go({ [name]: refOf(session) })}
      />
    </div>
  );
}
