import { expect, it } from 'vitest';
import { describeMutation, judgeSurvivors } from './mutation-page';
import { readReport } from './survivors';

const source = 'function a(x) {\n  return x > 1 ? 2 : 3;\n}\n\nfunction b() {\n  c();\n}\n';
const at = (line: number, start: number, end: number, lastLine = line) => ({
  start: { line, column: start },
  end: { line: lastLine, column: end },
});
const mutant = (status: string, location: ReturnType<typeof at>, replacement: string) => ({
  mutatorName: 'any',
  status,
  location,
  replacement,
});

const measured = readReport({
  files: {
    'a.ts': {
      source,
      mutants: [
        mutant('NoCoverage', at(5, 14, 2, 7), '{}'),
        mutant('Survived', at(2, 10, 15), 'x >= 1'),
        mutant('Killed', at(2, 10, 15), 'x <= 1'),
        mutant('Timeout', at(2, 10, 15), 'true'),
        mutant('CompileError', at(2, 10, 15), '('),
      ],
    },
    'types.ts': { source: '', mutants: [] },
  },
});

it('identifies a survivor by the lines before and after it', () => {
  expect(measured).toEqual({
    'a.ts': {
      mutants: 4,
      killed: 2,
      survivors: ['return x > 1 ? 2 : 3; → return x >= 1 ? 2 : 3;', 'function b() { …} → function b() {}'],
    },
  });
});

it('a survivor without an explanation is a finding, and so is an explanation without a survivor', () => {
  const [first = '', second = ''] = measured['a.ts']?.survivors ?? [];
  const explain = (mutated: string, why = 'No input can show it.') => ({
    file: 'a.ts',
    mutant: mutated,
    why,
  });
  expect(judgeSurvivors(['a.ts'], measured, [explain(first), explain(second)])).toEqual([]);
  expect(judgeSurvivors(['a.ts'], measured, [explain(first), explain(second, ' ')])).toEqual([
    `a.ts: survived without an explanation: ${second}`,
  ]);
  expect(judgeSurvivors(['a.ts'], measured, [explain(first), explain(second), explain('x → y')])).toEqual([
    'a.ts: explained, but does not survive: x → y',
  ]);
});

it('a file that was to be measured and was not is a finding: no test runs it', () => {
  const survivors = measured['a.ts']?.survivors ?? [];
  const explained = survivors.map((mutant) => ({ file: 'a.ts', mutant, why: 'No input can show it.' }));
  expect(judgeSurvivors(['a.ts', 'b.ts'], measured, explained)).toEqual([
    'b.ts: not measured: no test of its place runs it',
  ]);
});

it('the page counts what was killed, and explains the rest', () => {
  const page = describeMutation(measured, [
    { file: 'a.ts', mutant: 'function b() { …} → function b() {}', why: 'It has no caller.' },
  ]);
  expect(page).toContain('| `a.ts` | 4 | 2 | 2 | 50.0 % |');
  expect(page).toContain('- `function b() { …} → function b() {}`<br>\n  It has no caller.');
  expect(page).toContain('**Not explained.**');
});
