/** Ends a check: prints its findings and sets the exit code. */
export function finish(check: string, findings: readonly string[]): void {
  if (findings.length === 0) {
    process.stdout.write(`${check}: no findings\n`);
    return;
  }
  process.stderr.write(
    `${check}: ${findings.length} finding(s)\n${findings.map((line) => `  ${line}\n`).join('')}`,
  );
  process.exitCode = 1;
}
