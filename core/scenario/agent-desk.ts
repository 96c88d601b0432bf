/** The clock and the steps of one agent; random pauses are here. */
import { sessionId } from '../identity/session-id';
import type { SourceName } from '../protocol/messages';
import type { AgentPlan } from './agent-plan';
import type { Random } from './random';
import type { ScenarioItem, ScenarioStep } from './types';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

export interface AgentDesk {
  readonly plan: AgentPlan;
  readonly random: Random;
  now(): number;
  wait(ms: number): void;
  /** Pause before the next turn: seconds while active, minutes while the user is away. */
  pause(): void;
  step(item: ScenarioItem): ScenarioStep;
  hookStep(item: ScenarioItem): ScenarioStep;
  /** A call id that is unique in the session. */
  nextCall(): string;
}

export function openDesk(plan: AgentPlan, random: Random): AgentDesk {
  let now = plan.startMs;
  let turnsLeftInBurst = random.int(8, 40);
  let calls = 0;
  const stepFrom = (stream: string, source: SourceName, item: ScenarioItem): ScenarioStep => ({
    afterMs: now,
    stream,
    runner: plan.runner,
    project: plan.project,
    source,
    item,
  });
  return {
    plan,
    random,
    now: () => now,
    wait: (ms) => {
      now += Math.round(ms);
    },
    pause: () => {
      turnsLeftInBurst -= 1;
      const isBreak = turnsLeftInBurst <= 0;
      if (isBreak) turnsLeftInBurst = random.int(8, 40);
      const ms = isBreak ? random.skewed(1 * MINUTE, 7 * MINUTE) : random.skewed(5 * SECOND, 55 * SECOND);
      now += Math.round(ms * plan.pace);
    },
    step: (item) => stepFrom(plan.stream, plan.source, item),
    hookStep: (item) => stepFrom(`${plan.stream}-hooks`, 'hook', item),
    nextCall: () => {
      calls += 1;
      return `msg_${calls.toString(36).padStart(5, '0')}`;
    },
  };
}

export function isOver(desk: AgentDesk): boolean {
  const { silentFromMs, endsAtMs } = desk.plan.habits;
  return (
    desk.now() >= Math.min(silentFromMs ?? Number.POSITIVE_INFINITY, endsAtMs ?? Number.POSITIVE_INFINITY)
  );
}

export function startStep(desk: AgentDesk): ScenarioStep {
  const { plan } = desk;
  return desk.step({
    type: 'session_start',
    session: plan.key,
    reason: 'startup',
    lens: plan.lens,
    title: plan.title,
    client: plan.client,
    clientVersion: plan.clientVersion,
    clientSessionId: sessionId(plan.project, plan.key),
    model: plan.model,
    host: plan.runner.host,
    folder: plan.folder,
    branch: plan.branch,
    ...(plan.limitStated === 'session' ? { limit: plan.limit } : {}),
    ...(plan.whenFull.kind === 'restart' ? { restartLine: plan.whenFull.line } : {}),
    ...(plan.whenFull.kind === 'overshoot' ? { restartLine: 1.1 } : {}),
  });
}
