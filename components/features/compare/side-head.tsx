'use client';
import Link from 'next/link';
import type { Context, Session } from '@/core/api/session';
import { formatExact } from '../../format/format-tokens';
import { PartNotice, type PartState } from '../../ui/part-notice';
import { StateLabel } from '../../ui/state-label';
import type { SideName } from './side-data';
import { StrokeSample } from './stroke-sample';

interface SideHeadProps {
  name: SideName;
  session: Session;
  contexts: readonly Context[];
  context: number | null;
  /** Null: the whole session. */
  chooseContext: (context: number | null) => void;
  remove: () => void;
  /** The session was deleted meanwhile. */
  gone: boolean;
  /** State of its read. */
  part: PartState;
}

/** The session of a side, and which part of it. */
export function SideHead(props: SideHeadProps) {
  const { name, session, contexts, context, chooseContext, remove, gone, part } = props;
  const letter = name.toUpperCase();
  return (
    <div className="min-w-0">
      <div className="flex min-w-0 items-center gap-[12px]">
        <StrokeSample name={name} />
        <h2 className="min-w-0 flex-1 truncate text-title">
          <Link
            href={`/sessions/${session.id}`}
            className="hover:underline"
            title={session.title ?? session.key}
          >
            {session.title ?? session.key}
          </Link>
        </h2>
        <button
          type="button"
          className="link shrink-0 text-small text-ink2"
          aria-label={`Choose another session for ${letter}`}
          onClick={remove}
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
          aria-label={`What of ${letter}`}
          value={context === null ? '' : String(context)}
          onChange={({ target }) => chooseContext(target.value === '' ? null : Number(target.value))}
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
    </div>
  );
}

export function contextWords({ index, turnCount, endedBy }: Context): string {
  const end = endedBy === null ? 'open' : `ended by a ${endedBy}`;
  return `context ${index}: ${formatExact(turnCount)} ${turnCount === 1 ? 'turn' : 'turns'}, ${end}`;
}
