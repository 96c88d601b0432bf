#!/usr/bin/env node
/**
 * Entry of the `barograph` command. Only the hook's answer is loaded eagerly: a hook must answer in time, even if a part
 * of the package is missing or broken.
 */
import { fileURLToPath } from 'node:url';
import { answerHook, errorLine, guardHook } from '../hook/answer-hook';
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
      // Without loading another file first: on a busy machine the deadline may pass before that.
      answerHook([fileURLToPath(import.meta.url), ...workerArguments(args)], guard);
    }
  } catch (error) {
    guard.finish(errorLine(error));
  }
}
