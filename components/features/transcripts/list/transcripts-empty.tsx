import Link from 'next/link';
import { CommandBlock } from '../../../ui/copy-button';
import type { TranscriptsQuery } from './transcripts-query';

interface TranscriptsEmptyProps {
  filtered: boolean;
  /** The search has not reached the oldest archives. */
  isPartly: boolean;
  query: TranscriptsQuery;
  /** `cd … && npx barograph`, as it reaches this server. */
  command: string;
}

/** Empty state: no matches, or how to archive the first transcript. */
export function TranscriptsEmpty({ filtered, isPartly, query, command }: TranscriptsEmptyProps) {
  if (filtered) {
    const text = query.q.trim();
    return (
      <p className="border-t border-ink py-[14px]">
        {isPartly ? 'No matches so far' : 'No matches'}{' '}
        <span className="text-ink2">
          {text === ''
            ? 'Remove a filter to see more.'
            : 'The search finds exact phrases, and never secrets.'}
        </span>
      </p>
    );
  }
  return (
    <div className="grid gap-x-[32px] border-t border-ink lg:grid-cols-[minmax(0,640px)_minmax(0,1fr)]">
      <div className="pt-[20px]">
        <p className="max-w-[64ch] pb-[4px]">
          Archive whole transcripts before a client compacts its context, so that what the compaction drops
          can still be read and searched.
        </p>
        <ol>
          <Step
            number={1}
            title="Print the hook for Claude Code’s settings"
            command={`${command} hook --settings`}
          >
            Add the output to <code className="font-mono">~/.claude/settings.json</code>. The hook answers
            within two seconds and never delays a compaction.
          </Step>
          <Step
            number={2}
            title="Or import existing transcripts"
            command={`${command} import ~/.claude/projects`}
          >
            Optional. Also imports the sessions.
          </Step>
        </ol>
        <p className="pt-[18px] text-ink2">
          The first archive appears here automatically. Other clients:{' '}
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
