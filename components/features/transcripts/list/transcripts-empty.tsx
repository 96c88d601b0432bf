import Link from 'next/link';
import { CommandSteps } from '../../../connect/command-steps';

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
    <div className="border-t border-ink">
      <div className="max-w-[640px] pt-[20px]">
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
    </div>
  );
}
