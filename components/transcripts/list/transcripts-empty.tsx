import Link from 'next/link';
import { CommandBlock } from '../../ui/command-block';
import type { TranscriptsQuery } from './transcripts-query';

interface TranscriptsEmptyProps {
  filtered: boolean;
  /** The search has not reached everything. */
  isPartly: boolean;
  query: TranscriptsQuery;
  /** `cd … && npx barograph`, as it reaches this server. */
  command: string;
}

/** Nothing to show: why, and what to do next. */
export function TranscriptsEmpty({ filtered, isPartly, query, command }: TranscriptsEmptyProps) {
  if (filtered) {
    const text = query.q.trim();
    return (
      <p className="border-t border-ink py-[14px]">
        {isPartly ? 'No transcript matches so far.' : 'No transcript matches.'}{' '}
        <span className="text-ink2">
          {text === ''
            ? 'Take a filter away to see more.'
            : 'Words are looked for as they follow each other; secrets that were found are in no search.'}
        </span>
      </p>
    );
  }
  return (
    <div className="grid gap-x-[32px] border-t border-ink lg:grid-cols-[minmax(0,640px)_minmax(0,1fr)]">
      <div className="pt-[20px]">
        <p className="max-w-[64ch] pb-[4px]">
          Before a client compacts its context, the whole transcript can be archived here: what the compaction
          throws away stays to be read and searched.
        </p>
        <ol>
          <Step
            number={1}
            title="Print the hook for Claude Code’s settings"
            command={`${command} hook --settings`}
          >
            Put what it prints into <code className="font-mono">~/.claude/settings.json</code>. The hook
            answers within two seconds and never holds a compaction up.
          </Step>
          <Step
            number={2}
            title="Or archive what is on disk already"
            command={`${command} import ~/.claude/projects`}
          >
            Optional. It adds the sessions, too.
          </Step>
        </ol>
        <p className="pt-[18px] text-ink2">
          The first archive appears here by itself. Other clients:{' '}
          <Link href="/connect" className="link text-ink">
            Connect a runner
          </Link>
          .
        </p>
      </div>
    </div>
  );
}

interface StepProps {
  number: number;
  title: string;
  command: string;
  children: React.ReactNode;
}

function Step({ number, title, command, children }: StepProps) {
  return (
    <li className="grid grid-cols-[20px_minmax(0,1fr)] pt-[18px]">
      <span className="num strong">{number}</span>
      <div>
        <h2 className="pb-[6px] font-normal">{title}</h2>
        <CommandBlock command={command} what={title} />
        <p className="pt-[5px] text-small text-ink2">{children}</p>
      </div>
    </li>
  );
}
