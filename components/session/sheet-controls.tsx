'use client';
import Link from 'next/link';
import type { SeriesPoint } from '@/core/api/series';
import type { Session } from '@/core/api/session';
import { LENS_NAME, LENSES } from '@/core/explain/lens-phrase';
import { comparePath } from '../compare/compare-url';
import { MomentField } from './moment-field';
import type { SessionUrl } from './session-url';

interface SheetControlsProps {
  session: Session;
  /** Of the main chain, the whole session. */
  points: readonly SeriesPoint[];
  url: SessionUrl;
  change: (change: Partial<SessionUrl>) => void;
  /** What can be done with the sheet as a whole. */
  children?: React.ReactNode;
}

/** Axis, lens and range of the sheet. The session's own lens is always drawn; another one is laid over it. */
export function SheetControls({ session, points, url, change, children }: SheetControlsProps) {
  const lens = url.lens ?? session.lens;
  const follows = url.to === null;
  return (
    <div className="flex flex-wrap items-center gap-x-[28px] gap-y-[2px] border-t border-ink py-[6px] md:min-h-[34px]">
      <fieldset className="flex gap-[22px]">
        <legend className="sr-only">Axis</legend>
        <Choice on={url.axis === 'time'} onChoose={() => change({ axis: 'time' })}>
          Time
        </Choice>
        <Choice on={url.axis === 'turns'} onChoose={() => change({ axis: 'turns' })}>
          Turns
        </Choice>
      </fieldset>
      <fieldset className="flex flex-wrap gap-x-[22px] gap-y-[2px] max-md:order-3 max-md:gap-x-[16px]">
        <legend className="float-left mr-[22px] text-ink2 max-md:mr-[14px]">Lens</legend>
        {LENSES.map((name) => (
          <Choice
            key={name}
            on={lens === name}
            onChoose={() => change({ lens: name === session.lens ? null : name })}
            {...(name === session.lens ? { note: 'the session’s own lens' } : {})}
          >
            {LENS_NAME[name]}
          </Choice>
        ))}
      </fieldset>
      <div className="ml-auto flex flex-wrap items-center gap-x-[22px] gap-y-[2px] max-md:order-2 max-md:ml-0 max-md:gap-x-[16px]">
        <Choice
          on={url.sums}
          onChoose={() => change({ sums: !url.sums })}
          note="cumulative input and output of each context, laid over the trace"
        >
          Input, output
        </Choice>
        {session.totals.side.calls === 0 && !url.agents ? null : (
          <Choice
            on={url.agents}
            onChoose={() => change({ agents: !url.agents })}
            note="each sub-agent’s own context as a thin trace"
          >
            Sub-agents
          </Choice>
        )}
        {points.length === 0 ? null : (
          <MomentField session={session} points={points} url={url} change={change} />
        )}
        {url.from === null && url.to === null ? null : (
          <button
            type="button"
            className="text-ink2 hover:text-ink"
            onClick={() => change({ from: null, to: null, at: null })}
          >
            Whole session
          </button>
        )}
        {session.liveness === 'ended' ? null : (
          <Choice
            on={follows}
            onChoose={() =>
              change({ to: follows && session.lastTurnAt !== null ? Date.parse(session.lastTurnAt) : null })
            }
          >
            Follow live
          </Choice>
        )}
        <Link
          href={comparePath({ session: session.id, context: null })}
          prefetch={false}
          className="text-ink2 hover:text-ink"
          title="This session beside another one, or two of its contexts"
        >
          Compare with…
        </Link>
        {children}
      </div>
    </div>
  );
}

interface ChoiceProps {
  on: boolean;
  onChoose: () => void;
  note?: string;
  children: React.ReactNode;
}

function Choice({ on, onChoose, note, children }: ChoiceProps) {
  return (
    <button
      type="button"
      aria-pressed={on}
      {...(note === undefined ? {} : { title: note })}
      onClick={onChoose}
      className={on ? 'underline decoration-[1.5px] underline-offset-[5px]' : 'text-ink2 hover:text-ink'}
    >
      {children}
    </button>
  );
}
