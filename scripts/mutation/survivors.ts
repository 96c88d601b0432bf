/** What Stryker's report says, in terms that a later edit elsewhere in the file does not change. */

export interface StrykerReport {
  files: Record<string, { source: string; mutants: StrykerMutant[] }>;
}

interface StrykerMutant {
  mutatorName: string;
  replacement?: string;
  status: string;
  location: Record<'start' | 'end', { line: number; column: number }>;
}

export interface FileResult {
  mutants: number;
  killed: number;
  /** Each as `line → mutated line`, in the order of the file; mutants that read alike are one. */
  survivors: string[];
}

const DETECTED = ['Killed', 'Timeout'];
/** Mutants that are no program, so that nothing can be said of them. */
const NO_PROGRAM = ['CompileError', 'RuntimeError', 'Ignored'];

/** Results by file, of files that hold at least one mutant. */
export function readReport(report: StrykerReport): Record<string, FileResult> {
  const results: Record<string, FileResult> = {};
  for (const [file, { source, mutants }] of Object.entries(report.files)) {
    const programs = mutants.filter(({ status }) => !NO_PROGRAM.includes(status));
    if (programs.length === 0) continue;
    const left = programs
      .filter(({ status }) => !DETECTED.includes(status))
      .sort((a, b) => a.location.start.line - b.location.start.line);
    results[file] = {
      mutants: programs.length,
      killed: programs.length - left.length,
      survivors: [...new Set(left.map((mutant) => describeMutant(source, mutant)))],
    };
  }
  return results;
}

/** `line → mutated line`; of what spans several lines, its beginning and its end. */
export function describeMutant(
  source: string,
  { location: { start, end }, replacement = '' }: StrykerMutant,
) {
  const lines = source.split('\n');
  const first = lines[start.line - 1] ?? '';
  const last = lines[end.line - 1] ?? '';
  const middle =
    start.line === end.line
      ? first.slice(start.column - 1, end.column - 1)
      : `${first.slice(start.column - 1)} …`;
  const head = first.slice(0, start.column - 1);
  const tail = last.slice(end.column - 1);
  return `${shorten(`${head}${middle}${start.line === end.line ? tail : last}`)} → ${shorten(`${head}${replacement}${tail}`)}`;
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 160 ? `${line.slice(0, 159)}…` : line;
}
