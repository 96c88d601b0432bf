#!/usr/bin/env node
/**
 * Entry of the `barograph` command: wiring only. Beyond what answers a hook it loads nothing before it knows what is
 * asked, because a hook has to answer in time, and has to answer even where a part of the package is missing or broken.
 */
import { fileURLToPath } from 'node:url';
import { answerHook } from '../hook/answer-hook';
import { guardHook } from '../hook/guard-hook';
import { hookRole, workerArguments } from '../hook/hook-role';

const args = process.argv.slice(2);
const role = hookRole(args, process.send !== undefined);

if (role === 'none') {
  await import('./run');
} else if (role === 'work') {
  const { runHookWorker } = await import('../hook/run-hook-worker');
  await runHookWorker(args);
} else {
  const guard = guardHook(role === 'answer');
  try {
    if (role === 'text') {
      await import('./run');
    } else {
      // In the same breath as the guard: on a busy machine time may be up before a file more is loaded, and the work
      // has to be under way by then.
      answerHook([fileURLToPath(import.meta.url), ...workerArguments(args)], guard);
    }
  } catch (error) {
    guard.finish(`ERROR barograph hook: ${error instanceof Error ? error.message : String(error)}`);
  }
}
