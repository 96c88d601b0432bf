'use client';
import Link from 'next/link';
import type { Context, Session } from '@/core/api/session';
import { formatCount } from '../../format/format-tokens';
import type { CompareUrl, SideRef } from '../../sessions/compare-url';
import { Button } from '../../ui/button';
import { PartNotice } from '../../ui/part-notice';
import { StateLabel } from '../../ui/state-label';
import { SessionChooser } from './session-chooser';
import type { Side, SideData, SideName } from './side-data';
import type { LiveSide } from './use-side';

type Go = (change: Partial<CompareUrl>) => void;

const nameOf = ({ title, key }: Session) => title ?? key;
const refOf = ({ id }: Session, context: number | null = null): SideRef => ({ session: id, context });

/** The stroke of each side. Sides differ by stroke, not by colour. */
export const DASH: Readonly<Record<SideName, string | undefined>> = { a: undefined, b: '7 4' };

export function StrokeSample({ name }: { name: SideName }) {
  return (
    <span className="inline-flex shrink-0 items-center gap-[7px]">
      <svg width="30" height="8" viewBox="0 0 30 8" aria-hidden="true">
        <path d="M0 4h30" stroke="var(--ink)" strokeWidth="1.75" strokeDasharray={DASH[name]} />
      </svg>
      <b className="strong">{name.toUpperCase()}</b>
    </span>
  );
}

interface SideHeadProps {
  name: SideName;
  side: LiveSide;
  data: SideData;
  go: Go;
}

export function SideHead({ name, side: { gone, part }, data, go }: SideHeadProps) {
  const { session, contexts, context } = data;
  const letter = name.toUpperCase();
  return (
    <>
      <div className="flex min-w-0 items-center gap-[12px]">
        <StrokeSample name={name} />
        <h2 className="min-w-0 flex-1 truncate text-title">
          <Link href={`/sessions/${session.id}`} className="hover:underline" title={nameOf(session)}>
            {nameOf(session)}
          </Link>
        </h2>
        <button
          type="button"
          className="link shrink-0 text-small text-ink2"
          aria-label={`Choose another session for ${letter}`}
          onClick={() => go({ [name]: null })}
        >
          Change
        </button>
      </div>
      <div className="mt-[4px] flex flex-wrap items-center gap-x-[14px] gap-y-[4px] text-ink2">
        <StateLabel state={session.state} />
        <span className="min-w-0 truncate">
          {[session.project, session.model, session.liveness].filter(Boolean).join(' · ')}
        </span>
        <select
          className="field max-w-full pr-[8px] text-ink"
          aria-label={`Part of session ${letter}`}
          value={context ?? ''}
          onChange={({ target: { value } }) =>
            go({ [name]: refOf(session, value === '' ? null : Number(value)) })
          }
        >
          <option value="">whole session</option>
          {contexts.map((one) => (
            <option key={one.index} value={one.index}>
              {contextWords(one)}
            </option>
          ))}
        </select>
      </div>
      {gone ? (
        <p role="status" className="mt-[4px]">
          This session was deleted. Showing its last known data.
        </p>
      ) : (
        <PartNotice what="The figures and turns of this side" parts={[part]} />
      )}
    </>
  );
}

function contextWords({ index, turnCount, endedBy }: Context): string {
  const end = endedBy === null ? 'open' : `ended by a ${endedBy}`;
  return `context ${index}: ${formatCount(turnCount, 'turn')}, ${end}`;
}

/** The last contexts of a single side as buttons, to compare two of its contexts. */
export function ContextChoice({ name, data, go }: Omit<SideHeadProps, 'side'>) {
  const { session, contexts, context } = data;
  if (contexts.length < 2) return null;
  const others = context === null ? contexts.slice(1) : contexts.filter(({ index }) => index !== context);
  return (
    <div className="mt-[12px]">
      <p className="text-small text-ink2">
        {context === null ? 'Or compare its contexts' : `Compare context ${context} with`}
      </p>
      <ul className="mt-[3px] mb-[10px] flex flex-wrap gap-[6px]">
        {others.slice(-12).map((one) => (
          <li key={one.index}>
            <Button
              onClick={() =>
                go({
                  [name]: refOf(session, context ?? one.index - 1),
                  [name === 'a' ? 'b' : 'a']: refOf(session, one.index),
                })
              }
            >
              {context === null ? `context ${one.index - 1} with ${one.index}` : contextWords(one)}
            </Button>
          </li>
        ))}
      </ul>
    </div>
  );
}

export function OpenSide({ name, side, go }: { name: SideName; side: Side; go: Go }) {
  const why =
    side.type === 'missing' &&
    {
      unknown: 'No session with this id on this server.',
      deleted: 'This session was deleted.',
      context: `This session has no context ${side.ref.context}.`,
    }[side.why];
  return (
    <div className="min-w-0">
      <div className="flex flex-wrap items-center gap-x-[12px] pb-[6px]">
        <StrokeSample name={name} />
        <p role="status">{why}</p>
      </div>
      <SessionChooser
        label={name === 'a' ? 'Choose the first session' : 'Choose the session to compare with'}
        choose={(session) => go({ [name]: refOf(session) })}
      />
    </div>
  );
}
