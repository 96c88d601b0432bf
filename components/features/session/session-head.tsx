import Link from 'next/link';
import { KINDS } from '@/core/events/kinds';
import { FiringLine } from '../../alerts/firing-line';
import { CommandButton } from '../../commands/command-button';
import { sessionTitle } from '../../sessions/session-names';
import { Resting } from '../../ui/ago';
import { CopyButton } from '../../ui/copy-button';
import { FiguresText } from '../../ui/figures-text';
import { TroubleGlyph } from '../../ui/glyphs';
import { StateLabel } from '../../ui/state-label';
import { Figure, useSessionPage } from './session-page';
import { resumeCommand } from './session-words';

export function SessionHead() {
  const { session } = useSessionPage();
  const { project, liveness, state } = session;
  const command = resumeCommand(session);
  return (
    <header className="flex min-h-[52px] flex-wrap items-center gap-x-[24px] gap-y-[8px] border-b border-hair py-[10px] xl:flex-nowrap">
      <div className="flex min-w-0 flex-1 flex-wrap xl:flex-auto items-center gap-x-[12px] gap-y-[2px] md:flex-nowrap">
        <nav aria-label="Breadcrumb" className="flex shrink-0 items-center gap-[12px] text-ink2">
          <Link href="/" className="hover:text-ink">
            Fleet
          </Link>
          <span aria-hidden="true">/</span>
          <Link
            href={`/?project=${encodeURIComponent(project)}`}
            className="max-w-[220px] truncate hover:text-ink max-md:max-w-[120px]"
          >
            {project}
          </Link>
          <span aria-hidden="true" className="hidden md:inline">
            /
          </span>
        </nav>
        <h1
          className="min-w-0 text-title max-md:order-3 max-md:line-clamp-2 max-md:w-full md:truncate"
          title={sessionTitle(session)}
        >
          {sessionTitle(session)}
        </h1>
        <span className="shrink-0 max-md:ml-auto">
          <Figure figure="state" name="state">
            <StateLabel state={state} />
          </Figure>
        </span>
        {liveness === 'live' ? null : (
          <span className="shrink-0 text-ink2">
            <Resting session={session} />
          </span>
        )}
      </div>
      {liveness === 'ended' ? null : <CommandButton sessions={[session]} />}
      <FiringLine session={session.id} />
      {command === null ? null : (
        <div className="flex min-w-0 max-w-[40%] items-center gap-[8px] max-lg:hidden xl:min-w-[180px] xl:shrink-[1000]">
          <code className="num min-w-0 truncate text-ink2" title={command}>
            {command}
          </code>
          <CopyButton text={command} what="the command that resumes this session" />
        </div>
      )}
    </header>
  );
}

export function TroubleLine() {
  const { session, data, change } = useSessionPage();
  const { trouble, liveness } = session;
  if (trouble === null || liveness === 'ended') return null;
  const event = data.events.findLast(
    ({ kind, chain, turn }) => kind === trouble.kind && chain === 'main' && turn === trouble.turn,
  );
  return (
    <p role="status" className="flex flex-wrap items-center gap-x-[8px] border-b border-hair py-[8px]">
      <TroubleGlyph kind={trouble.kind} />
      <b>{KINDS[trouble.kind].label}</b>
      <span>
        <FiguresText text={trouble.sentence} />
      </span>
      {event === undefined ? null : (
        <button
          type="button"
          className="link text-small text-ink2"
          onClick={() => change({ event: event.id })}
        >
          show event
        </button>
      )}
    </p>
  );
}
