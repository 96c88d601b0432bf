/** Runs the Python library's own tests as tests of this suite; skipped without Python 3.9. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPython, type Python } from './find-python';

interface PythonTest {
  file: string;
  test: string;
  title: string;
}
interface PythonOutcome extends PythonTest {
  outcome: 'passed' | 'failed' | 'skipped';
  detail: string;
}

const folder = fileURLToPath(new URL('.', import.meta.url));
const vectors = fileURLToPath(new URL('../../core/vectors/', import.meta.url));
const work = mkdtempSync(path.join(tmpdir(), 'h6-python-'));
const searchPath = process.env.PATH ?? '';
const python = findPython(searchPath);

/** Only the PATH of this process's environment. */
const environment = {
  NODE_ENV: 'test' as const,
  PATH: searchPath,
  HOME: work,
  TMPDIR: work,
  PYTHONDONTWRITEBYTECODE: '1',
};

afterAll(() => rmSync(work, { recursive: true, force: true }));

function parse<T>(line: string): T {
  return JSON.parse(line) as T;
}

function listTests({ executable }: Python): PythonTest[] {
  const { stdout, stderr, status } = spawnSync(executable, ['run_tests.py', '--list'], {
    cwd: folder,
    env: environment,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`The tests in Python cannot be listed: ${stderr}`);
  return stdout
    .split('\n')
    .filter(Boolean)
    .map(parse<PythonTest>);
}

/** One run of all tests; an outcome is available once its line is printed. */
class PythonRun {
  private readonly outcomes = new Map<string, PythonOutcome>();
  private readonly waiting = new Map<string, () => void>();
  private ended = false;
  private errors = '';

  constructor({ executable }: Python) {
    const child = spawn(executable, ['run_tests.py'], {
      cwd: folder,
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stderr.on('data', (chunk) => (this.errors += chunk));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const outcome = parse<PythonOutcome>(line);
      this.outcomes.set(keyOf(outcome), outcome);
      this.waiting.get(keyOf(outcome))?.();
    });
    child.once('close', () => {
      this.ended = true;
      for (const wake of this.waiting.values()) wake();
    });
  }

  async outcomeOf(key: string): Promise<PythonOutcome> {
    if (!this.outcomes.has(key) && !this.ended) {
      await new Promise<void>((resolve) => this.waiting.set(key, resolve));
    }
    const outcome = this.outcomes.get(key);
    if (!outcome) throw new Error(`The run ended without this test: ${this.errors}`);
    return outcome;
  }
}

function keyOf(one: PythonTest): string {
  return `${one.file}.${one.test}`;
}

function runPython(found: Python): void {
  const tests = listTests(found);
  let run: PythonRun | null = null;

  beforeAll(() => {
    run = new PythonRun(found);
  });

  test.each(tests.map((one) => [`${one.test.split('.')[0]}: ${one.title}`, keyOf(one)] as const))(
    '%s',
    async (_title, key) => {
      const outcome = await run?.outcomeOf(key);
      // Skipped tests need something that this machine lacks.
      if (outcome?.outcome === 'skipped') expect(outcome.detail).not.toBe('');
      else expect(outcome?.outcome, outcome?.detail).toBe('passed');
    },
    120_000,
  );

  test('lists more than 300 tests', () => expect(tests.length).toBeGreaterThan(300));

  test('uses vectors that match the rules', () => {
    const { status, stderr } = spawnSync(found.executable, [path.join(vectors, 'derive.py'), work], {
      env: environment,
      encoding: 'utf8',
    });
    expect(status, stderr).toBe(0);
    const names = readdirSync(vectors).filter((name) => name.endsWith('.json'));
    expect(readdirSync(work).filter((name) => name.endsWith('.json'))).toEqual(names);
    for (const name of names) {
      const read = (from: string) => JSON.parse(readFileSync(path.join(from, name), 'utf8'));
      expect(read(work), name).toEqual(read(vectors));
    }
  }, 120_000);
}

if (python === null) {
  test('the Python library is tested if Python is installed', (context) =>
    context.skip('no Python 3.9 or newer on this machine'));
} else {
  describe(`the Python library on Python ${python.version}`, () => runPython(python));
}
