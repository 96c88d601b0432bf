/** The exact commands that connect each kind of runner. */
import { CLIENTS } from '@/core/agents/clients';
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

interface ConnectStep extends CommandStep {
  /** The agent that the command connects. */
  agent?: string;
}

interface ConnectGuide {
  id: string;
  name: string;
  /** Whether the steps are alternatives instead of a sequence. */
  isChoice?: boolean;
  steps: ConnectStep[];
}

/** Clients that `connect`, `watch` and `import` support. */
const AGENTS = CLIENTS.flatMap(({ transcripts, ...client }) =>
  transcripts === undefined ? [] : { ...client, transcripts },
);

export function connectGuides(facts: ConnectFacts): ConnectGuide[] {
  const { dataPrefix, folderPrefix } = facts;
  const barograph = `${folderPrefix}${dataPrefix}npx barograph`;
  return [
    {
      id: 'agents',
      name: 'Agents',
      isChoice: true,
      steps: AGENTS.map(({ name, label }) => ({
        title: `Connect ${label}`,
        command: `${barograph} connect ${name}`,
        agent: name,
      })),
    },
    {
      id: 'import',
      name: 'Past sessions',
      isChoice: true,
      steps: AGENTS.map(({ label, transcripts: { home, folders } }) => ({
        title: `Import past sessions of ${label}`,
        command: `${barograph} import ${['~', home, folders.length === 1 ? folders[0] : ''].filter(Boolean).join('/')}`,
        note: 'A second run adds only what is new.',
      })),
    },
    {
      id: 'demo',
      name: 'Demo',
      steps: [
        {
          title: 'Play a demo fleet',
          command: `${barograph} demo`,
          note: 'Restarts, compactions, losses, alerts. `barograph demo --remove` deletes it.',
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
          note: 'The array starts with a hello message. WebSocket at /v1/ingest takes the same messages.',
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
