/** What survived, set against what is explained: the verdict, and docs/mutation.md. */
import type { FileResult } from './survivors';

export type Measured = Record<string, FileResult>;

export interface Explanation {
  file: string;
  /** As in `survivors`: `line → mutated line`. */
  mutant: string;
  /** Why no test can tell the mutant from the code. */
  why: string;
}

function find(explanations: readonly Explanation[], file: string, mutant: string): Explanation | undefined {
  return explanations.find(
    (entry) => entry.file === file && entry.mutant === mutant && entry.why.trim() !== '',
  );
}

/**
 * Sentences, one for each file that was not measured, each survivor without an explanation and each explanation
 * without a survivor.
 * @param files all that are to be measured
 */
export function judgeSurvivors(
  files: readonly string[],
  measured: Measured,
  explanations: readonly Explanation[],
): string[] {
  // Stryker says nothing of a file that no test runs.
  const missing = files
    .filter((file) => measured[file] === undefined)
    .map((file) => `${file}: not measured: no test of its place runs it`);
  const unexplained = Object.entries(measured).flatMap(([file, { survivors }]) =>
    survivors
      .filter((mutant) => find(explanations, file, mutant) === undefined)
      .map((mutant) => `${file}: survived without an explanation: ${mutant}`),
  );
  const idle = explanations
    .filter(({ file, mutant }) => !measured[file]?.survivors.includes(mutant))
    .map(({ file, mutant }) => `${file}: explained, but does not survive: ${mutant}`);
  return [...missing, ...unexplained, ...idle];
}

export function describeMutation(measured: Measured, explanations: readonly Explanation[]): string {
  const files = Object.entries(measured);
  const total = files.reduce(
    (sum, [, { mutants, killed }]) => ({ mutants: sum.mutants + mutants, killed: sum.killed + killed }),
    { mutants: 0, killed: 0 },
  );
  const row = (name: string, { mutants, killed }: { mutants: number; killed: number }) =>
    `| ${name} | ${mutants} | ${killed} | ${mutants - killed} | ${((killed / mutants) * 100).toFixed(1)} % |`;
  const survivors = files
    .filter(([, result]) => result.survivors.length > 0)
    .map(([file, result]) =>
      [
        `### ${file}`,
        '',
        ...result.survivors.flatMap((mutant) => [
          `- ${inCode(mutant)}<br>`,
          `  ${find(explanations, file, mutant)?.why ?? '**Not explained.**'}`,
        ]),
      ].join('\n'),
    );
  return `${[
    '# Mutation testing',
    [
      'Each rule of the accounting core, and of the parts of the library that follow it, is broken on purpose, one at a',
      'time: a bound moved by one, a branch left out, a sum turned round. A test beside the source must notice. What',
      'survives is a missing test or a change that no input can show; of the second kind each is explained here.',
    ].join('\n'),
    [
      '`npm run mutation` measures (minutes; `npm run mutation -- core/accounting/limit.ts` one file) with Stryker, which',
      'it installs beside itself. A survivor that `scripts/mutation/explained.json` does not explain fails it. This page',
      'is written by it.',
    ].join('\n'),
    [
      '| file | mutants | killed | survived | score |',
      '|---|--:|--:|--:|--:|',
      ...files.map(([file, result]) => row(`\`${file}\``, result)),
      row('**all**', total),
    ].join('\n'),
    '## What survives, and why',
    ...survivors,
  ].join('\n\n')}\n`;
}

/** A code span, whatever backticks are in it. */
function inCode(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `${fence}${text}${fence}` : `${fence} ${text} ${fence}`;
}
