/** The exact commands that connect each kind of runner. */
import { PROTOCOL_VERSION } from '@/core/protocol/version';
import type { CommandStep } from './command-steps';

interface ConnectFacts {
  /** `cd … && `, so that the commands run from any folder; may be empty. */
  folderPrefix: string;
  /** Command prefix that sets the server's data folder; empty for the default one. */
  dataPrefix: string;
  origin: string;
  /** Stream id and time of the HTTP example. */
  stream: string;
  nowMs: number;
}

export function connectGuides(facts: ConnectFacts): { id: string; name: string; steps: CommandStep[] }[] {
  const { dataPrefix, folderPrefix } = facts;
  const barograph = `${folderPrefix}${dataPrefix}npx barograph`;
  return [
    {
      id: 'agents',
      name: 'Agents',
      steps: [
        {
          title: 'Connect the agents on this machine',
          command: `${barograph} connect`,
          note: 'Claude Code, Codex and Gemini CLI. Shows its changes to their settings and asks before it writes them.',
        },
        { title: 'Start or continue a session, for example', command: 'claude --continue' },
        {
          title: 'Import existing transcripts',
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
          title: 'Play a demo fleet',
          command: `${barograph} demo`,
          note: 'Restarts, compactions, sub-agents, lost tracking. The demo has its own projects.',
        },
        {
          title: 'Check the connection',
          command: `${barograph} doctor`,
          note: 'Shows the server, the token and the queue.',
        },
      ],
    },
    {
      id: 'http',
      name: 'HTTP',
      steps: [
        {
          title: 'Create a token, shown only once',
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
