/**
 * The thread in which reads unpack, parse, mask and search: a hostile file makes that long, and requests of others are
 * answered meanwhile. One task after the other; the process outside ends a thread whose task takes too long.
 */
import { parentPort } from 'node:worker_threads';
import { type ContentsTask, runTask, type TaskInput } from '../../db/transcripts/contents/contents-work';

export interface ReadsRequest {
  task: ContentsTask;
  input: TaskInput<ContentsTask>;
}

/** `begun`: the thread is up and at the task; the clock of the task runs from then on. */
export type ReadsAnswer = 'begun' | { ok: true; output: unknown } | { ok: false; reason: string };

const port = parentPort;
if (port === null) throw new Error('this file runs as a worker thread');

port.on('message', ({ task, input }: ReadsRequest) => {
  port.postMessage('begun' satisfies ReadsAnswer);
  runTask(task, input).then(
    (output: unknown) => {
      // Bytes that are a buffer of their own go over without a copy.
      const isOwn = output instanceof Uint8Array && output.byteLength === output.buffer.byteLength;
      const transfer = isOwn && output.buffer instanceof ArrayBuffer ? [output.buffer] : [];
      port.postMessage({ ok: true, output } satisfies ReadsAnswer, transfer);
    },
    (error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      port.postMessage({ ok: false, reason } satisfies ReadsAnswer);
    },
  );
});
