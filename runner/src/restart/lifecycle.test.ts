import { expect, test } from 'vitest';
import { runWithRestarts } from './index';
import type { Agent } from './restart-types';
import { type ScriptedMessage, say, scriptedAgent, turnOf } from './testing/scripted-agent';

const FULL = turnOf(180_000);

/** Like many state machines, this agent starts only from its initial state. */
class Lifecycle {
  #state = 'INITIAL';
  start(): void {
    if (this.#state !== 'INITIAL') throw new Error(`Cannot start from state ${this.#state}`);
    this.#state = 'RUNNING';
  }
}

test('each context has its own start, signal and reader', async () => {
  const scripted = scriptedAgent({ contexts: [[FULL], [FULL], [say('done')]] });
  const lives: Lifecycle[] = [];
  let readers = 0;
  const agent: Agent<ScriptedMessage> = {
    start(prompt, context) {
      const life = new Lifecycle();
      lives.push(life);
      life.start();
      return scripted.start(prompt, context);
    },
    query: (...request) => scripted.query(...request),
    createReader() {
      readers += 1;
      let count = 0;
      return ({ session_id: sessionId, usage }) => {
        count += 1;
        expect(count).toBe(1);
        return { sessionId, usage, goesOn: true };
      };
    },
  };
  const run = await runWithRestarts({ agent, prompt: 'p' });
  expect(run.contexts.map(({ sessionId }) => sessionId)).toEqual(['s-0', 's-1', 's-2']);
  expect([lives.length, readers, new Set(scripted.signals).size]).toEqual([3, 3, 3]);
});

test('a fresh session does not get the id of the old one', async () => {
  const nameless = { ...FULL, session_id: '' };
  const agent = scriptedAgent({ contexts: [[FULL], [nameless], [say('done')]] });
  const run = await runWithRestarts({ agent, prompt: 'p' });
  expect(run.contexts.map(({ sessionId }) => sessionId)).toEqual(['s-0', null, 's-2']);
  // The second context never named its session. The loop does not query the first session instead.
  expect(agent.log.filter((line) => line.startsWith('query'))).toEqual(['query s-0']);
});
