import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Whether the module of this `import.meta.url` is the one that was started. */
export function isMain(url: string): boolean {
  const started = process.argv[1];
  return started !== undefined && fileURLToPath(url) === realpathSync(started);
}

/** Ends a check: prints its findings and sets the exit code. */
export function finish(check: string, findings: readonly string[]): void {
  if (findings.length === 0) {
    process.stdout.write(`${check}: no findings\n`);
    return;
  }
  const lines = findings.map((line) => `  ${line}\n`).join('');
  process.stderr.write(`${check}: ${findings.length} finding(s)\n${lines}`);
  process.exitCode = 1;
}
