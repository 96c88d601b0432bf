/** The state of a simulated agent: its plan, clock, random numbers and calls. */
import { sessionId } from '../identity/session-id';
import type { SourceName } from '../protocol/messages';
import type { AgentPlan } from './agent-plan';
import type { Random } from './random';
import type { ScenarioItem, ScenarioStep } from './types';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

export class AgentDesk {
  #now: number;
  #turnsLeftInBurst: number;
  #calls = 0;

  constructor(
    readonly plan: AgentPlan,
    readonly random: Random,
  ) {
    this.#now = plan.startMs;
    this.#turnsLeftInBurst = random.int(8, 40);
  }

  get isOver(): boolean {
    const { silentFromMs = Number.POSITIVE_INFINITY, endsAtMs = Number.POSITIVE_INFINITY } = this.plan.habits;
    return this.#now >= Math.min(silentFromMs, endsAtMs);
  }

  wait(ms: number): void {
    this.#now += Math.round(ms);
  }

  /** Pause before the next turn: seconds while active, minutes while the user is away. */
  pause(): void {
    const { plan, random } = this;
    this.#turnsLeftInBurst -= 1;
    const isBreak = this.#turnsLeftInBurst <= 0;
    if (isBreak) this.#turnsLeftInBurst = random.int(8, 40);
    const ms = isBreak ? random.skewed(1 * MINUTE, 7 * MINUTE) : random.skewed(5 * SECOND, 55 * SECOND);
    this.wait(ms * plan.pace);
  }

  step(item: ScenarioItem): ScenarioStep {
    return this.#stepFrom(this.plan.stream, this.plan.source, item);
  }

  hookStep(item: ScenarioItem): ScenarioStep {
    return this.#stepFrom(`${this.plan.stream}-hooks`, 'hook', item);
  }

  startStep(): ScenarioStep {
    const { plan } = this;
    const { key: session, title, client, clientVersion, model, lens, folder, branch, whenFull } = plan;
    return this.step({
      type: 'session_start',
      session,
      reason: 'startup',
      lens,
      title,
      client,
      clientVersion,
      clientSessionId: sessionId(plan.project, session),
      model,
      host: plan.runner.host,
      folder,
      branch,
      ...(plan.limitStated === 'session' && { limit: plan.limit }),
      ...(whenFull.kind === 'restart' && { restartLine: whenFull.line }),
      ...(whenFull.kind === 'overshoot' && { restartLine: 1.1 }),
    });
  }

  /** A call id that is unique in the session. */
  nextCall(): string {
    this.#calls += 1;
    return `msg_${this.#calls.toString(36).padStart(5, '0')}`;
  }

  #stepFrom(stream: string, source: SourceName, item: ScenarioItem): ScenarioStep {
    const { runner, project } = this.plan;
    return { afterMs: this.#now, stream, runner, project, source, item };
  }
}
