import Link from 'next/link';
import { CommandSteps } from '../../../connect/command-steps';
import { Preview } from '../../../connect/empty-page';

const SHOWN = [
  ['conversation', 'Messages, tool calls and thinking, with the tokens of each call.'],
  ['what was lost', 'Messages, files and results that the summary leaves out, in tokens by role.'],
  ['search', 'Finds words in all archives. Secrets stay masked.'],
  ['copy', 'Size, checksum, and the machine that also has the file.'],
] as const;

interface TranscriptsEmptyProps {
  filtered: boolean;
  /** The search has not reached the oldest archives. */
  isPartly: boolean;
  text: string;
  /** `cd … && npx barograph`, with the data folder of this server. */
  command: string;
}

export function TranscriptsEmpty({ filtered, isPartly, text, command }: TranscriptsEmptyProps) {
  if (filtered) {
    return (
      <p className="border-t border-ink py-[14px]">
        {isPartly ? 'No matches so far' : 'No matches'}{' '}
        <span className="text-ink2">
          {text.trim() === ''
            ? 'Remove a filter to see more.'
            : 'The search finds exact phrases, and never secrets.'}
        </span>
      </p>
    );
  }
  const steps = [
    {
      title: 'Connect the agents on this machine',
      command: `${command} connect`,
      note: 'Shows its changes to the agents’ settings and asks before it writes them.',
    },
    {
      title: 'Or import existing transcripts',
      command: `${command} import ~/.claude/projects`,
      note: 'Optional. Also imports the sessions.',
    },
  ];
  return (
    <div className="grid gap-x-[32px] gap-y-[32px] border-t border-ink lg:grid-cols-[440px_minmax(0,1fr)]">
      <div className="min-w-0 pt-[20px] lg:min-h-[calc(100vh-154px)] lg:border-r lg:border-hair lg:pr-[32px]">
        <p className="max-w-[64ch] pb-[4px]">
          Archive whole transcripts before a client compacts its context. You can then read and search what
          the compaction drops.
        </p>
        <CommandSteps steps={steps} />
        <p className="pt-[18px] text-ink2">
          The first archive appears here automatically. Other clients:{' '}
          <Link href="/connect" className="link text-ink">
            Connect a runner
          </Link>
          .
        </p>
      </div>
      <div className="min-w-0 pt-[20px]">
        <Preview title="An archived transcript" rows={SHOWN} />
      </div>
    </div>
  );
}
