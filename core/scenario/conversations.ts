/**
 * Conversations of the demo, as transcripts of Claude Code. Their summaries leave out an instruction, files and
 * results that the work needs later.
 */
import { sessionId } from '../identity/session-id';
import { estimateTokens } from '../tokens/estimate-tokens';
import { claudeLines } from './claude-lines';
import data from './conversation-scripts.json' with { type: 'json' };
import { createRandom, type Random } from './random';

type Act =
  | readonly ['user' | 'say' | 'think', text: string]
  /** Reads a generated source file. A function has about 90 tokens. */
  | readonly ['read', path: string, functions: number]
  | readonly ['edit', path: string, before: string, after: string]
  | readonly ['run' | 'fail', command: string, output: string]
  /** Runs the tests. The output has a line per test file. */
  | readonly ['test', command: string, files: number]
  | readonly ['tasks', ...texts: string[]]
  | readonly ['compact', trigger: 'auto' | 'manual', summary: string];

interface Script {
  key: string;
  title: string;
  folder: string;
  branch: string;
  endedMinutesAgo: number;
  acts: readonly Act[];
}

type Words = readonly [string, ...string[]];

const { scripts, verbs, nouns } = data as unknown as {
  scripts: readonly Script[];
  verbs: Words;
  nouns: Words;
};

/** System prompt and tools of the client, tokens. */
const BASE_TOKENS = 17_400;
const LINE_MS = 35_000;
const MODEL = 'claude-sonnet-4-5-20250929';

export interface DemoTranscript {
  fileName: string;
  text: string;
}

/** The transcripts as of now. @param run part of all ids, so that two runs on one server have separate sessions */
export function demoTranscripts(now: number, run: string): DemoTranscript[] {
  return scripts.map((script, index) => {
    const session = sessionId('demo', `${run}/${script.key}`);
    return { fileName: `${session}.jsonl`, text: `${write(script, session, now, index).join('\n')}\n` };
  });
}

function write(
  { title, folder, branch, endedMinutesAgo, acts }: Script,
  session: string,
  now: number,
  seed: number,
) {
  const random = createRandom(seed);
  const lineCount = acts.reduce(
    (sum, [kind]) => sum + (['user', 'say', 'think', 'tasks'].includes(kind) ? 1 : 2),
    0,
  );
  const begun = now - endedMinutesAgo * 60_000 - lineCount * LINE_MS;
  const { user, assistant, compaction } = claudeLines({
    sessionId: session,
    uuid: (line) => sessionId(session, String(line)),
    at: (line) => begun + line * LINE_MS,
    cwd: folder,
    gitBranch: branch,
    model: MODEL,
  });
  const lines = [JSON.stringify({ type: 'custom-title', customTitle: title, sessionId: session })];
  let context = BASE_TOKENS;
  let cached = 0;
  let calls = 0;
  const say = (block: object) => {
    calls += 1;
    const output = estimateTokens(JSON.stringify(block));
    const usage = {
      input_tokens: 4,
      output_tokens: output,
      cache_read_input_tokens: cached,
      cache_creation_input_tokens: context - cached,
    };
    lines.push(assistant(`msg_${session.slice(0, 8)}_${calls}`, block, usage));
    cached = context;
    context += output;
  };
  const use = (name: string, input: object, result?: string, isError = false) => {
    const id = `toolu_${session.slice(0, 8)}_${calls}`;
    say({ type: 'tool_use', id, name, input });
    if (result === undefined) return;
    lines.push(user([{ type: 'tool_result', tool_use_id: id, content: result, is_error: isError }]));
    context += estimateTokens(result);
  };
  for (const act of acts) {
    const [kind, first = '', second = '', third = ''] = act;
    const file_path = `${folder}/${first}`;
    switch (kind) {
      case 'user':
        lines.push(user(first));
        context += estimateTokens(String(first));
        break;
      case 'say':
        say({ type: 'text', text: first });
        break;
      case 'think':
        say({ type: 'thinking', thinking: first });
        break;
      case 'read':
        use('Read', { file_path }, sourceOf(String(first), Number(second), random));
        break;
      case 'edit':
        use('Edit', { file_path, old_string: second, new_string: third }, `Updated ${file_path}`);
        break;
      case 'run':
      case 'fail':
        use('Bash', { command: first }, String(second), kind === 'fail');
        break;
      case 'test':
        use('Bash', { command: first }, testLog(Number(second), random));
        break;
      case 'tasks': {
        const todos = act
          .slice(1)
          .map((content, i) => ({ content, status: i === 0 ? 'in_progress' : 'pending' }));
        use('TodoWrite', { todos }, 'The list has been updated.');
        break;
      }
      case 'compact': {
        const after = BASE_TOKENS + estimateTokens(String(second));
        lines.push(compaction({ trigger: first, preTokens: context, postTokens: after, durationMs: 41_000 }));
        lines.push(user(second, { isCompactSummary: true }));
        context = after;
        cached = 0;
      }
    }
  }
  return lines;
}

function sourceOf(path: string, functions: number, random: Random): string {
  // A value that looks like a secret, which the transcript's page masks.
  const head = path.includes('.env') ? `export const token = 'ghp_${'k3J9'.repeat(9)}';\n` : '';
  const body = Array.from({ length: functions }, (_, index) => {
    const noun = random.pick(nouns);
    const item = noun.toLowerCase();
    return [
      `/** Part ${index + 1}: ${item}s without a value are left out. */`,
      `export function ${random.pick(verbs)}${noun}${index + 1}(${item}s: readonly ${noun}[], limit = ${random.int(2, 900)}) {`,
      `  const known = ${item}s.filter(({ id, value }) => id !== null && value <= limit);`,
      `  return known.reduce((sum, { value }) => sum + value * ${random.int(2, 99)}, 0);`,
      '}',
    ].join('\n');
  });
  return `${head}${body.join('\n\n')}\n`;
}

function testLog(files: number, random: Random): string {
  const lines = Array.from({ length: files }, (_, index) => {
    const name = `${random.pick(verbs)}-${random.pick(nouns).toLowerCase()}-${index + 1}.test.ts`;
    return ` ✓ src/${name} (${random.int(2, 40)} tests) ${random.int(4, 900)} ms`;
  });
  return `${lines.join('\n')}\n Test Files  ${files} passed (${files})`;
}
