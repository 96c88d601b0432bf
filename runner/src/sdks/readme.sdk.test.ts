/** Checks and runs the README's code with each supported version of the packages, and with a scripted server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { chatUsage, completion, response, responsesUsage } from '../openai/testing/calls';
import { FakeModelServer, json } from '../openai/testing/fake-model-server';
import { message } from './testing/messages';
import { folderOf, isInstalled, type SetName, setsWith } from './testing/sdk-sets';

const runner = fileURLToPath(new URL('../../', import.meta.url));
const readme = readFileSync(path.join(runner, 'README.md'), 'utf8');
const section = readme.slice(readme.indexOf('\n## Other SDKs'), readme.indexOf('\n## Tracking messages'));
const blocks = [...section.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code]) => code ?? '');

/** The `setup.mjs` that the README's code imports, with types and with a session that prints. */
const VALUES = `export const prompt = 'How full is it?';
export const messages = [{ role: 'user' as const, content: prompt }];
`;
const TYPED = `import type { RunnerSession } from 'barograph';
export declare const session: RunnerSession;
${VALUES}`;
const RUNNING = `export const session = { turn: (turn) => console.log('turn ' + JSON.stringify(turn)) };
${VALUES.replace(' as const', '')}`;

const USAGE = { inputTokens: 40, outputTokens: 25, cacheReadTokens: 900, cacheCreationTokens: 60 };
const ANSWERS: Record<string, () => object> = {
  '@anthropic-ai/sdk': () => message(USAGE),
  ai: () => response(responsesUsage(1_000, 25)),
  '@langchain/openai': () => completion(chatUsage(1_000, 25)),
  '@openai/agents': () => response(responsesUsage(1_000, 25)),
};

/** A folder for the README's code of a set. There, `barograph` resolves to the built package. */
function workFolder(set: SetName): string {
  const link = path.join(folderOf(set), 'node_modules', 'barograph');
  if (!existsSync(link)) symlinkSync(runner, link, 'dir');
  const folder = path.join(folderOf(set), 'readme');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'setup.mts'), TYPED);
  writeFileSync(path.join(folder, 'setup.mjs'), RUNNING);
  return folder;
}

async function run(args: string[], cwd: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { NODE_ENV: 'production', PATH: process.env.PATH ?? '', HOME: cwd, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const [code] = await once(child, 'close');
  return { code, output };
}

/** This package is only type-checked, because a query starts Claude Code. `npm run test:agents` runs queries. */
const AGENT_SDK = '@anthropic-ai/claude-agent-sdk';
const NAMES = [AGENT_SDK, ...Object.keys(ANSWERS)];
const cases = NAMES.flatMap((name) => setsWith(name).map((set) => ({ name, set })));

test('the README has at most ten lines of code for each SDK', () => {
  const found = blocks.map((code) => NAMES.filter((name) => code.includes(`'${name}'`)));
  expect(found.flat().sort()).toEqual([...NAMES].sort());
  for (const code of blocks) expect(code.trim().split('\n').length).toBeLessThanOrEqual(10);
});

describe.skipIf(!isInstalled()).each(cases)(
  'the README’s code for $name in the $set version',
  ({ name, set }) => {
    const code = blocks.find((block) => block.includes(`'${name}'`)) ?? '';

    test('fits the types of the SDK', async () => {
      const folder = workFolder(set);
      const file = path.join(folder, `${name.replace(/\W/g, '-')}.mts`);
      writeFileSync(file, code);
      const tsc = path.join(runner, '..', 'node_modules', 'typescript', 'bin', 'tsc');
      const flags =
        '--ignoreConfig --noEmit --strict --exactOptionalPropertyTypes --skipLibCheck --module nodenext --target es2022';
      const { output, code: exit } = await run([tsc, ...flags.split(' '), '--types', '', file], folder);
      expect(output).toBe('');
      expect(exit).toBe(0);
    });

    test.skipIf(name === AGENT_SDK)('reports the call', async () => {
      const folder = workFolder(set);
      const file = path.join(folder, `${name.replace(/\W/g, '-')}.mjs`);
      // Remove the exporter to OpenAI, which the SDK adds by default.
      const offline = "import { setTraceProcessors } from '@openai/agents';\nsetTraceProcessors([]);\n";
      writeFileSync(file, (name === '@openai/agents' ? offline : '') + code);
      const server = await FakeModelServer.start();
      try {
        server.next(json(ANSWERS[name]?.()));
        const { output } = await run([file], folder, {
          OPENAI_API_KEY: 'none',
          OPENAI_BASE_URL: server.url,
          ANTHROPIC_API_KEY: 'none',
          ANTHROPIC_BASE_URL: server.url.replace('/v1', ''),
        });
        expect(server.requests).toHaveLength(1);
        const turns = output.split('\n').filter((line) => line.startsWith('turn '));
        expect(
          turns.map((line) => JSON.parse(line.slice(5))),
          output,
        ).toMatchObject([{ contextTokens: 1_025 }]);
      } finally {
        await server.stop();
      }
    });
  },
);
