/** Stores the state of a run on disk, so that `resume` continues from the last checkpoint of a killed run. */
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { asCount, asFields, asList, asNonEmptyText, type Fields } from '../../../core/agents/fields';
import { readJson, replaceFile } from '../private-files';
import { statedOf } from '../usage/read-field';
import type { OpenCall } from './open-calls';
import type { RestartOptions } from './restart-types';

/** Starts with a dot, because the client reads every other folder of its queue as a queue. */
const FOLDER = '.runs';

/** The last stored progress of a run. */
interface RunState {
  continuation: number;
  /** Null: the last context started without a checkpoint. */
  checkpoint: string | null;
}

/** Saves and reads the state of one run. */
export interface RunFile {
  read(): (RunState & { openCalls: OpenCall[] }) | null;
  save(state: RunState): void;
  /** Stores the calls without an answer, beside the last progress. Null: there is no file. */
  readonly saveCalls: ((calls: OpenCall[]) => void) | null;
  remove(): void;
}

const NOTHING: RunFile = {
  read: () => null,
  save: () => undefined,
  saveCalls: null,
  remove: () => undefined,
};

/**
 * Open the file of the run with this name. A run of another task does not read the stored state.
 * @throws RangeError if `resume` is set and neither a folder nor a name is known.
 */
export function openRunFile<Message>(options: RestartOptions<Message>): RunFile {
  const { resume, resumeFolder, session, prompt } = options;
  if (resume !== true) return NOTHING;
  const { queueFolder, project = '' } = session?.destination?.() ?? {};
  const folder = resumeFolder ?? (queueFolder && path.join(queueFolder, FOLDER));
  const name = options.name ?? session?.key;
  if (folder === undefined) throw new RangeError('"resume" needs the session of a client, or "resumeFolder"');
  if (name === undefined) throw new RangeError('"resume" needs a session, or a "name" that is unique');
  const task = hash(prompt);
  const file = path.join(folder, `${hash(`${project}\n${name}`)}.json`);
  let state: RunState | null = null;
  let openCalls: OpenCall[] = [];
  const write = () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    replaceFile(file, JSON.stringify({ task, ...state, openCalls }));
  };
  return {
    read() {
      const fields = asFields(readJson(file));
      const continuation = asCount(fields?.continuation);
      if (fields?.task !== task || continuation === null) return null;
      const lost = asList(fields.openCalls).flatMap((call) => readCall(asFields(call)) ?? []);
      return { continuation, checkpoint: asNonEmptyText(fields.checkpoint), openCalls: lost };
    },
    save(next) {
      state = next;
      write();
    },
    saveCalls(calls) {
      openCalls = calls;
      if (state !== null) write();
    },
    remove() {
      state = null;
      rmSync(file, { force: true });
    },
  };
}

function readCall(fields: Fields | null): OpenCall | null {
  const tokens = asCount(fields?.tokens);
  return tokens === null ? null : { tokens, ...statedOf({ chain: asNonEmptyText(fields?.chain) }) };
}

const hash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 32);
