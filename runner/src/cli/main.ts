#!/usr/bin/env node
/**
 * Entry of the `barograph` command. The hook answers in time even if some files of the package are missing or broken.
 */
import { fileURLToPath } from 'node:url';
import { answerHook, errorLine, guardHook, hookRole, workerArguments } from '../hook/answer-hook';

/** Limit of one process, milliseconds. A client starts a process for each status line, so processes must not pile up. */
const STATUS_LINE_MS = 20_000;
/** Clients wait longer for a hook, but no agent should wait long for its note. */
const RECALL_MS = 5_000;

const args = process.argv.slice(2);
const role = hookRole(args, process.send !== undefined);

const runProcess = async () => (await import('./run-command-line')).runProcess();

if (args.length === 1 && args[0] === 'status-line') {
  setTimeout(() => process.exit(0), STATUS_LINE_MS);
  const { reportStatusLine } = await import('../status-line/report-status-line');
  // The status line shows nothing of Barograph, not even a failure.
  await reportStatusLine(process.stdin, Date.now()).catch(() => undefined);
  process.exit(0);
} else if (args[0] === 'otlp-headers') {
  const { otlpHeaders } = await import('../connect/otlp-headers');
  const headers = otlpHeaders(args.at(-1) ?? '', args.includes('--watched'));
  process.stdout.write(JSON.stringify(await headers.catch(() => ({}))));
} else if (args[0] === 'recall-hook' || args[0] === 'warn-hook') {
  const end = (answer: object | null) =>
    process.stdout.write(JSON.stringify(answer ?? {}), () => process.exit(0));
  setTimeout(end, RECALL_MS, null);
  const { answerRecall, answerWarning } = await import('../recall/answer-recall');
  const answer =
    args[0] === 'recall-hook'
      ? answerRecall(process.stdin, Date.now())
      : answerWarning(process.stdin, Date.now());
  await answer.then(end, (error) => {
    process.stderr.write(`${errorLine(error)}\n`);
    end(null);
  });
} else if (role === 'none') {
  await runProcess();
} else if (role === 'work') {
  const { runHookWorker } = await import('../hook/run-hook-worker');
  await runHookWorker(args);
} else {
  const guard = guardHook(role === 'answer');
  try {
    // Load no other file before this: on a busy machine, loading may take longer than the deadline.
    if (role === 'text') await runProcess();
    else answerHook([fileURLToPath(import.meta.url), ...workerArguments(args, Date.now())], guard);
  } catch (error) {
    guard.finish(errorLine(error));
  }
}
