/** Runs the `barograph` command: signals, output and exit code. */
import { createOutput } from './output';
import { runCommandLine } from './run-command-line';

const ended = new AbortController();
let asked = 0;
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => {
    asked += 1;
    ended.abort();
    // The second signal ends at once; the queue is on disk.
    if (asked > 1) process.exit(130);
  });
}
// `barograph … | head` closes the pipe, which is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const out = createOutput(process.stdout, process.stderr);
try {
  process.exitCode = await runCommandLine(process.argv.slice(2), {
    out,
    signal: ended.signal,
    now: Date.now,
  });
} catch (error) {
  out.problem(error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exitCode = 1;
}
