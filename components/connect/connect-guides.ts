/** How data gets in, per kind of runner: the exact commands, nothing invented. */
import { PROTOCOL_VERSION } from '@/core/protocol/version';
import type { CommandStep } from './command-steps';

interface ConnectFacts {
  /** `cd … && `, so that the commands run from any folder; may be empty. */
  folderPrefix: string;
  /** Names this server's data folder to them; empty for the default one. */
  dataPrefix: string;
  /** Address of this server as the browser knows it. */
  origin: string;
  /** A fresh stream id and time for the example by hand. */
  stream: string;
  nowMs: number;
}

export function connectGuides(facts: ConnectFacts): { id: string; name: string; steps: CommandStep[] }[] {
  // A shell reads on after && at a line's end, and the command itself stays in one piece.
  const folderPrefix = facts.folderPrefix.replace(/ && $/, ' &&\n  ');
  const { dataPrefix } = facts;
  const barograph = `${folderPrefix}${dataPrefix}npx barograph`;
  return [
    {
      id: 'claude-code',
      name: 'Claude Code',
      steps: [
        {
          title: 'Follow the sessions of this machine',
          command: `${barograph} watch`,
          note: 'Reads the transcripts as they grow. Leave it running; Ctrl-C stops it.',
        },
        { title: 'Start a session, or go on with one', command: 'claude --continue' },
        {
          title: 'Read what is already on disk',
          command: `${barograph} import ~/.claude/projects`,
          note: 'Optional. A second run adds only what is new.',
        },
      ],
    },
    {
      id: 'demo',
      name: 'Demo',
      steps: [
        {
          title: 'Play a lively fleet',
          command: `${barograph} demo`,
          note: 'Restarts, compactions, sub-agents, lost tracking. It stays in a project of its own.',
        },
        {
          title: 'Check the connection',
          command: `${barograph} doctor`,
          note: 'Says which server, which token, and what waits in the queue.',
        },
      ],
    },
    {
      id: 'http',
      name: 'HTTP',
      steps: [
        {
          title: 'Make a token; it is shown once',
          command: `${folderPrefix}TOKEN=$(${dataPrefix}npm run --silent token -- --name by-hand --scope ingest)`,
        },
        {
          title: 'Send a turn, from any language',
          command: curl(facts),
          note: 'An array that begins with a hello. The same messages go over WebSocket at /v1/ingest.',
        },
      ],
    },
  ];
}

function curl({ origin, stream, nowMs }: ConnectFacts): string {
  const runner = { name: 'curl' };
  const usage = { input: 487, output: 5880, cacheRead: 1_432_262 };
  const hello = { type: 'hello', v: PROTOCOL_VERSION, project: 'by-hand', runner, stream };
  const turn = { type: 'turn', seq: 1, session: 'first', at: nowMs, usage };
  return [
    `curl ${origin}/v1/ingest \\`,
    '  -H "Authorization: Bearer $TOKEN" \\',
    "  -H 'Content-Type: application/json' \\",
    `  -d '[${JSON.stringify(hello)},`,
    `       ${JSON.stringify(turn)}]'`,
  ].join('\n');
}
